import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { at, call, type Reply } from "../call";

describe("the rate of requests to the emulated product", () => {
  let emulator: Emulator;
  afterEach(async () => emulator.close());

  const start = async (requestsPerSecond?: number): Promise<void> => {
    emulator = await startEmulator({
      dialect: { provisioning: "hashicorp" },
      frozenAt: new Date("2030-01-01T00:00:00.250Z"),
      ...(requestsPerSecond === undefined ? {} : { provisioning: { requestsPerSecond } }),
    });
  };
  const ask = async (token = emulator.provisioning.token): Promise<Reply> =>
    call(emulator, "provisioning", "GET", "/api/v2/organizations", { token });
  const rate = ({ headers }: Reply): unknown[] =>
    ["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`));

  it("is announced, and limited for nobody unless asked for", async () => {
    await start();
    assert.deepEqual(rate(await ask()), ["30", "29", "0.750"]);
    let last = await ask();
    for (let number = 3; number <= 35; number++) {
      last = await ask();
    }
    assert.deepEqual([last.status, ...rate(last)], [200, "30", "0", "0.750"]);
  });

  it("is limited for each token by itself, until the second is over", async () => {
    await start(2);
    const other = emulator.provisioning.addToken();
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
    const refused = await ask();
    assert.deepEqual([refused.status, ...rate(refused)], [429, "2", "0", "0.750"]);
    assert.deepEqual(
      [at(refused.body, "errors", 0, "status"), at(refused.body, "errors", 0, "title")],
      [429, "Too many requests"],
    );
    assert.equal((await ask(other)).status, 200);
    emulator.advance("0.75s");
    assert.deepEqual(rate(await ask()), ["2", "1", "1.000"]);
  });

  it("counts from nothing after a reset", async () => {
    await start(1);
    await ask();
    emulator.reset();
    assert.equal((await ask()).status, 200);
    assert.equal((await ask()).status, 429);
  });
});
