import assert from "node:assert/strict";
import { inspect } from "node:util";
import { scheduler } from "../../sdk";
import { TriviumError } from "../../sdk/base/errors";
import { rememberEnvironment } from "../connection/environment";
import { functionCases, functions, newScene } from "../hostile/support/functions";
import { Crowd, echoes } from "./support/crowd";
import { Exposure, keyPair } from "./support/exposure";
import { services } from "../support/proxy";

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

  let crowd: Crowd;
  const restore = rememberEnvironment();
  const exposure = new Exposure();

  before(async () => {
    crowd = await Crowd.gather();
    for (const service of services) {
      const prefix = service.toUpperCase();
      const { token } = crowd.credentials(service);
      Object.assign(process.env, {
        [`${prefix}_ADDR`]: crowd.proxy.address(service),
        [`${prefix}_TOKEN`]: token,
        [`${prefix}_CLIENT_CERT`]: keyPair.certificate,
        [`${prefix}_CLIENT_KEY`]: keyPair.key,
        [`${prefix}_MAX_RETRIES`]: "0",
      });
    }
  });

  after(async () => {
    restore();
    await crowd.disperse();
  });

  const failsQuietly = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    const canaries = crowd.allCredentials.filter((each) => !each.startsWith("canary-header-of"));
    let failures = 0;
    for (const echo of echoes) {
      crowd.proxy.clear();
      crowd.proxy.before = (request) =>
        echo.response({ request, secrets: canaries, elsewhere: crowd.elsewhere });
      const failure: unknown = await call().then(
        () => undefined,
        (error: unknown) => error,
      );
      failures += failure === undefined ? 0 : 1;
      assert.ok(crowd.proxy.requests.length > 0, `${name} made no request`);
      assert.ok(failure === undefined || TriviumError.isInstance(failure), String(failure));
      exposure.search(`${name}, ${echo.name}`, failure === undefined ? "" : faces(failure), canaries);
      exposure.report(...crowd.strayed(crowd.proxy.requests));
    }
    assert.ok(failures >= echoes.length - 2, `${name} failed only ${failures} times`);
    assert.deepEqual(exposure.take(), []);
  };

  for (const [name, { valid, extras }] of Object.entries(functionCases)) {
    it(`are not in those of ${name}`, async () => {
      const scene = await newScene(crowd.emulator, extras);
      const call = functions.get(name) ?? assert.fail(`there is no ${name}`);
      await failsQuietly(name, () => call(valid(scene)));
    });
  }

  it("are not in those of the event stream, whose address and token a script gives", async () => {
    const { token } = crowd.credentials("scheduler");
    const address = crowd.proxy.address("scheduler");
    await failsQuietly("scheduler.readEvents", () =>
      scheduler.readEvents({ address, token, until: { count: 1, timeout: "1s" } }),
    );
  });

  it("went nowhere but where they belong", () => {
    assert.deepEqual(crowd.astray, []);
    assert.ok(exposure.searched >= echoes.length * Object.keys(functionCases).length);
  });
});
