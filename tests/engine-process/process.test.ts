import assert from "node:assert/strict";
import { cancellationSignal } from "../../sdk/engine/cancellation";
import { engineAddress, runningSdk } from "../../sdk/engine/process";

describe("engineAddress", () => {
  const sdk = "/project/node_modules/@pulumi/pulumi/cmd";
  const engine = "127.0.0.1:40123";

  const cases: readonly [string, readonly string[], string | undefined][] = [
    ["the process as the engine starts it", ["node", `${sdk}/dynamic-provider`, engine], engine],
    ["its file", ["node", `${sdk}/dynamic-provider/index.js`, engine], engine],
    ["an IPv6 address", ["node", `${sdk}/dynamic-provider`, "[::1]:1"], "[::1]:1"],
    ["Windows", ["node", "C:\\p\\@pulumi\\pulumi\\cmd\\dynamic-provider\\index.js", engine], engine],
    ["a program of the language host", ["node", `${sdk}/run`, "--monitor", engine], undefined],
    ["no address", ["node", `${sdk}/dynamic-provider`], undefined],
    ["something other than an address", ["node", `${sdk}/dynamic-provider`, "engine"], undefined],
    ["a script with the same name", ["node", "/project/dynamic-provider", engine], undefined],
    ["a file next to it", ["node", `${sdk}/dynamic-provider/other.js`, engine], undefined],
    ["a longer name", ["node", `${sdk}/dynamic-provider-2`, engine], undefined],
  ];
  for (const [name, argv, expected] of cases) {
    it(`engineAddress ${expected === undefined ? "does not recognize" : "recognizes"} ${name}`, () => {
      assert.equal(engineAddress(argv), expected);
    });
  }

  it("runningSdk finds the SDK that started the process", () => {
    const file = `${sdk}/dynamic-provider/index.js`;
    assert.equal(runningSdk(["node", file, engine]), "/project/node_modules/@pulumi/pulumi");
    assert.equal(runningSdk(["node", file]), undefined);
    assert.equal(runningSdk(), undefined);
  });

  it("engineAddress reads its own process by default, and cancellation does not handle SIGINT there", () => {
    assert.equal(engineAddress(), undefined);
    const before = process.listenerCount("SIGINT");
    assert.equal(cancellationSignal().aborted, false);
    assert.equal(process.listenerCount("SIGINT"), before);
  });
});
