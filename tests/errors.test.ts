import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { inspect } from "node:util";
import { commentOf } from "../scripts/docs/comment";
import { readLibrary } from "../scripts/docs/library";
import * as trivium from "../sdk";
import { functionCases, functions, newFixtures } from "./cases/functions";
import { useEnvironment } from "./connection/environment";
import { failure } from "./http/calls";
import { repository } from "./support/packed-library";
import { useEmulator } from "./support/use-emulator";

const { errors, provisioning, scheduler } = trivium;

describe("trivium.errors", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  for (const [name, { valid }] of Object.entries(functionCases)) {
    // Other credentials are created by the call.
    if (/\.(?:get(?!(?:Dynamic)?Credentials)|list\w+Consumers)/.test(name)) {
      it(`trivium.errors has NotFoundError for an object that does not exist: ${name}`, async () => {
        const args = valid(await newFixtures(emulator));
        emulator.reset();
        const error = await failure(functions.get(name)?.(args) ?? assert.fail(), errors.NotFoundError);
        assert.ok(errors.TriviumError.isInstance(error) && !errors.ServiceError.isInstance(error));
      });
    }
  }

  it("trivium.errors has ServiceError for a rejection, with the details that a script needs", async () => {
    process.env.PROVISIONING_TOKEN = "wrong";
    const error = await failure(provisioning.listProjects({ organization: "acme" }), errors.ServiceError);
    assert.deepEqual([error.status, error.method], [401, "GET"]);
    assert.match(error.url, /\/api\/v2\/organizations\/acme\/projects$/);
    // As the SDK has it, from which Node.js 20 cannot take the name of a package.
    error.stack = `${error.stack ?? ""}\n    at run (/app/node_modules/@pulumi/resource.ts:1:1)`;
    assert.match(inspect(error, { colors: true }), /resource\.ts.*status: 401/s);
  });

  it("trivium.errors has InputError for arguments, ConfigurationError for settings, and ConnectionError for failed connections", async () => {
    const read = (id: string) => provisioning.getProject({ id });
    await failure(read("a/../b"), errors.InputError);
    Object.assign(process.env, { PROVISIONING_ADDR: "http://127.0.0.1:1", PROVISIONING_MAX_RETRIES: "0" });
    await failure(read("prj-1"), errors.ConnectionError);
    delete process.env.PROVISIONING_ADDR;
    await failure(read("prj-1"), errors.ConfigurationError);
  });

  it("trivium.errors has TimeoutError for an event that does not arrive in time, and CancelledError for a canceled call", async () => {
    const waiting = scheduler.waitForEvent({ topics: ["Node"], timeout: 0.2 });
    const late = await failure(waiting, errors.TimeoutError);
    assert.deepEqual([late.phase, late.timeoutMilliseconds], ["event", 200]);
    const signal = AbortSignal.abort();
    await failure(scheduler.waitForEvent({ topics: ["Node"], signal }), errors.CancelledError);
    await failure(provisioning.getProject({ id: "prj-none" }, { signal }), errors.CancelledError);
  });

  it("trivium.errors loads neither zod nor undici", () => {
    const script = `
      require("pulumi-trivium").errors.NotFoundError.isInstance(undefined);
      console.log(Object.keys(require.cache).filter((file) => /node_modules.(zod|undici)./.test(file)).join());`;
    const printed = execFileSync(process.execPath, ["--eval", script], { cwd: repository, encoding: "utf8" });
    assert.equal(printed.trim(), "");
  });

  it("trivium.errors is named in the doc comment of every function that sends requests", () => {
    const functions = readLibrary().namespaces.flatMap((namespace) => namespace.functions);
    assert.ok(functions.length > 50);
    const silent = functions.filter(
      ({ declarations }) => commentOf(...declarations).tag("throws") === undefined,
    );
    const names = silent.map(({ shortName }) => shortName);
    assert.deepEqual(names.toSorted(), ["lintTemplate", "signatureOf", "verifySignature"]);
  });
});
