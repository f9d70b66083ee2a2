import assert from "node:assert/strict";
import { inspect } from "node:util";
import { scheduler } from "../../sdk";
import { TriviumError } from "../../sdk/base/errors";
import { functionCases, functions, newFixtures } from "../cases/functions";
import { allCredentials, CanaryServices, credentialsOf, echoes } from "./support/canary-services";
import { Exposure, keyPair } from "./support/exposure";

/** Everything that a program, a debugger or a tracker of errors can show of an error. */
function faces(error: unknown): string {
  const chain: unknown[] = [];
  for (let each = error; each !== undefined && chain.length < 10; each = (each as Error | null)?.cause) {
    chain.push(each);
  }
  return chain
    .flatMap((each) => [
      String(each),
      (each as Error | null)?.stack,
      JSON.stringify(each),
      JSON.stringify(each, Object.getOwnPropertyNames(each)),
      inspect(each, { showHidden: true, depth: null, maxStringLength: null, getters: true }),
    ])
    .join("\n");
}

describe("secrets in errors of functions", function () {
  this.timeout(60_000);

  let canaryServices: CanaryServices;
  let restore = (): void => undefined;
  const exposure = new Exposure();

  before(async () => {
    canaryServices = await CanaryServices.start();
    const { certificate, key } = keyPair;
    restore = canaryServices.services.useForFunctions({ CLIENT_CERT: certificate, CLIENT_KEY: key });
  });
  after(async () => {
    restore();
    await canaryServices.close();
  });

  const failsQuietly = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    const canaries = allCredentials.filter((each) => !each.startsWith("canary-header-of"));
    const { proxy, elsewhere } = canaryServices;
    let failures = 0;
    for (const echo of echoes) {
      proxy.clear();
      proxy.before = (request) => echo.response({ request, secrets: canaries, elsewhere: elsewhere.address });
      const error: unknown = await call()
        .then(() => undefined)
        .catch((reason: unknown) => reason);
      failures += error === undefined ? 0 : 1;
      assert.ok(proxy.requests.length > 0, `${name} made no request`);
      assert.ok(error === undefined || TriviumError.isInstance(error), String(error));
      exposure.search(`${name}, ${echo.name}`, error === undefined ? "" : faces(error), canaries);
      exposure.report(...canaryServices.misdirected(proxy.requests));
    }
    assert.ok(failures >= echoes.length - 2, `${name} failed only ${failures} times`);
    assert.deepEqual(exposure.take(), []);
  };

  for (const [name, { valid, extras }] of Object.entries(functionCases)) {
    it(`secrets are not in the messages of ${name}`, async () => {
      const fixtures = await newFixtures(canaryServices.services.emulator, extras);
      const call = functions.get(name) ?? assert.fail(`there is no ${name}`);
      await failsQuietly(name, () => call(valid(fixtures)));
    });
  }

  it("secrets are not in the messages of the event stream, whose address and token a script gives", async () => {
    const { token } = credentialsOf("scheduler");
    const address = canaryServices.proxy.address("scheduler");
    await failsQuietly("scheduler.readEvents", () =>
      scheduler.readEvents({ address, token, until: { count: 1, timeout: "1s" } }),
    );
  });

  it("secrets of functions reached no other server", () => {
    assert.deepEqual(canaryServices.elsewhere.received, []);
    assert.ok(exposure.searched >= echoes.length * Object.keys(functionCases).length);
  });
});
