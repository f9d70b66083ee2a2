import assert from "node:assert/strict";
import { inspect } from "node:util";
import { scheduler } from "../../sdk";
import { TriviumError } from "../../sdk/base/errors";
import { functions } from "../cases/functions";
import { startServer, stopServers, type TestServer } from "../http/server";
import { triedFunctions, useServices } from "../support/services";
import {
  allCredentials,
  assertHidden,
  assertOwnCredentials,
  credentialsOf,
  echoes,
  keyPair,
} from "./canaries";

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

  const services = useServices({ CLIENT_CERT: keyPair.certificate, CLIENT_KEY: keyPair.key });
  let elsewhere: TestServer;
  before(async () => {
    elsewhere = await startServer((response) => response.writeHead(200).end("{}"));
  });
  after(stopServers);

  const failsQuietly = async (name: string, call: () => Promise<unknown>): Promise<void> => {
    const secrets = allCredentials.filter((each) => !each.startsWith("canary-header-of"));
    const { proxy } = services;
    let failures = 0;
    for (const echo of echoes) {
      proxy.clear();
      proxy.before = (request) => echo.response({ request, secrets, elsewhere: elsewhere.address });
      const [outcome] = await Promise.allSettled([call()]);
      assert.ok(proxy.requests.length > 0, `${name} made no request`);
      assertOwnCredentials(proxy.requests);
      if (outcome.status === "rejected") {
        failures += 1;
        assert.ok(TriviumError.isInstance(outcome.reason), String(outcome.reason));
        assertHidden(`${name}, ${echo.name}`, faces(outcome.reason), secrets);
      }
    }
    assert.ok(failures >= echoes.length - 2, `${name} failed only ${failures} times`);
  };

  for (const tried of triedFunctions) {
    const { name, title } = tried;
    it(`secrets are not in the messages of ${title}`, async () => {
      const fixtures = await services.prepareFunction(tried);
      const call = functions.get(name) ?? assert.fail(`there is no ${name}`);
      await failsQuietly(name, () => call(tried.valid(fixtures)));
    });
  }

  it("secrets are not in the messages of the event stream if a script sets its address and token", async () => {
    const { token } = credentialsOf("scheduler");
    const address = services.proxy.address("scheduler");
    await failsQuietly("scheduler.readEvents", () =>
      scheduler.readEvents({ address, token, until: { count: 1, timeout: "1s" } }),
    );
  });

  it("secrets of functions were not sent to any other server", () => {
    assert.deepEqual(elsewhere.received, []);
  });
});
