import assert from "node:assert/strict";
import { unusedPort } from "../http/server";
import { EngineLog } from "../support/engine-log";
import { runAsProvider } from "./as-provider";

describe("logToEngine", () => {
  let engine: EngineLog;
  let address: string;

  before(async () => ({ engine, address } = await EngineLog.start()));
  beforeEach(() => engine.lines.splice(0));
  after(() => engine.stop());

  it("progress shows each kind of line as intended, without secrets and in order", async () => {
    await runAsProvider(
      `
      const { logToEngine } = require("./sdk/engine/progress");
      const { processRedactor } = require("./sdk/base/redactor");
      processRedactor.register("canary-secret");
      logToEngine("progress", "urn:a", "waiting for canary-secret");
      logToEngine("progress", undefined, "waiting for nobody");
      logToEngine("information", "urn:a", "rotated");
      logToEngine("warning", undefined, "for the whole stack");`,
      address,
    );
    assert.deepEqual(engine.lines, [
      { severity: "information", message: "waiting for [secret]", urn: "urn:a", ephemeral: true },
      { severity: "information", message: "rotated", urn: "urn:a", ephemeral: false },
      { severity: "warning", message: "for the whole stack", urn: "", ephemeral: false },
    ]);
  });

  it("progress does not show secrets of the class or the program in warnings of check", async () => {
    await runAsProvider(
      `
      const { Lifecycle } = require("./sdk/resource/lifecycle/lifecycle");
      const { secretsService: service } = require("./sdk/secrets/service");
      const check = (value) => ({ warning: value + " is unlikely to work" });
      void new Lifecycle({
        type: "secrets:Thing",
        service,
        arguments: {},
        outputs: {},
        fields: {
          in: () => ({
            arguments: { password: { secret: true, check }, label: { check }, size: { check } },
            outputs: {},
            schema: (z) => ({ password: z.string(), label: z.string(), size: z.string() }),
          }),
        },
      }).check({
        args: { password: "canary-password", label: "canary-label", size: "five" },
        secrets: ["label"],
        run: { ignored: [], followsProvider: false, inherited: [] },
      });`,
      address,
    );
    assert.deepEqual(
      engine.lines.map(({ message }) => message),
      ["password [secret]", "label [secret]", "size five"].map((what) => `${what} is unlikely to work`),
    );
  });

  const log = 'require("./sdk/engine/progress").logToEngine("warning", "urn:a", "nobody sees this");';
  const withoutMessages = `
    const file = require.resolve("@pulumi/pulumi/proto/engine_pb");
    require.cache[file] = { id: file, filename: file, loaded: true, exports: {} };`;
  for (const [title, script, at] of [
    ["continues without the SDK's messages", `${withoutMessages} ${log} console.log(true);`, () => address],
    [
      "continues when nobody listens",
      `${log} console.log(true);`,
      async () => `127.0.0.1:${await unusedPort()}`,
    ],
    [
      "does not load its modules in other processes",
      `${log} console.log(!Object.keys(require.cache).some((file) => file.includes("engine_pb")));`,
      () => "no address",
    ],
  ] as const) {
    it(`progress ${title}`, async () => {
      const { stdout } = await runAsProvider(script, await at());
      assert.deepEqual([stdout, engine.lines], ["true\n", []]);
    });
  }
});
