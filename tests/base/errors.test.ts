import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import * as errors from "../../sdk/base/errors";
import { processRedactor } from "../../sdk/base/redactor";

const { InputError, mayHaveBeenProcessed, ServiceError, TriviumError } = errors;
const { ConnectionError, ContractError, requestCancelled, requestTimedOut } = errors;

const url = "https://service.example/api/v2/projects";
const request = { summary: "create the project", method: "POST", url };
const serviceError = new ServiceError({
  request,
  status: 422,
  messages: ["name is taken", "name is short"],
  headers: { "x-request-id": "r-1" },
  advice: "Take another name.",
});
const attempt = `Could not create the project: POST ${url}`;

const refused = `${attempt} returned 422 (request ID r-1): name is taken; name is short. Take another name.`;
const cancelled = `Canceled while trying to create the project: POST ${url}; the service has not processed it.`;
const broken = new ConnectionError({ request, code: "E", problem: "it broke", mayHaveBeenProcessed: true });
const late = requestTimedOut({ request, phase: "headers", timeoutMilliseconds: 1500, attempts: 3 });
const odd = new ContractError({ request: "GET https://a.b/x", at: "data.id", problem: "expected a string" });

/** What all classes of errors have in common. */
interface ErrorClass {
  readonly className: string;
  isInstance(value: unknown): boolean;
}

/** The class, an error of this class, its message, and whether the request might have been processed. */
const rows: readonly [ErrorClass | undefined, errors.TriviumError, message: string, processed: boolean][] = [
  [undefined, new TriviumError("It did not work."), "It did not work.", false],
  [ServiceError, serviceError, refused, false],
  [ConnectionError, broken, `${attempt} failed: it broke.`, true],
  [errors.TimeoutError, late, `${attempt} timed out after 3 attempts: no response within 1.5 s.`, false],
  [ContractError, odd, "Unexpected response to GET https://a.b/x: data.id: expected a string.", true],
  [errors.CancelledError, requestCancelled({ request }), cancelled, false],
  [errors.ConfigurationError, new errors.ConfigurationError("No address."), "No address.", false],
  [InputError, new InputError("Refused."), "Refused.", false],
  [errors.NotFoundError, new errors.NotFoundError("There is none."), "There is none.", false],
];

describe("errors", () => {
  for (const [own, error, message, processed] of rows) {
    const name = own?.className ?? "TriviumError";
    it(`the error ${name} says what was attempted, what happened and what to do, and differs from the others`, () => {
      assert.deepEqual([error.name, error.message, mayHaveBeenProcessed(error)], [name, message, processed]);
      assert.ok(error instanceof Error && TriviumError.isInstance(error));
      const recognized = rows.map(([each]) => each).filter((each) => each?.isInstance(error));
      assert.deepEqual(recognized, own === undefined ? [] : [own]);
    });
  }

  it("an error for a response contains the status, the method, the URL and the request ID", () => {
    const { status, method, requestId, headers, attempts } = serviceError;
    const found = [status, method, serviceError.url, requestId, headers, attempts];
    assert.deepEqual(found, [422, "POST", url, "r-1", { "x-request-id": "r-1" }, 1]);
  });

  it("uncaught errors do not show members without a value", () =>
    assert.doesNotMatch(inspect(new TriviumError("The role does not exist.")), /undefined/));

  it("errors are recognized if another copy of the package made them", () => {
    const load = createRequire(__filename);
    const path = load.resolve("../../sdk/base/errors");
    const own = load.cache[path];
    Reflect.deleteProperty(load.cache, path);
    const copy = load(path) as { readonly InputError: typeof InputError };
    load.cache[path] = own;
    const error = new copy.InputError("from the copy");
    assert.ok(!(error instanceof InputError));
    const classes = [InputError, TriviumError, ServiceError].map((each) => each.isInstance(error));
    assert.deepEqual(classes, [true, true, false]);
  });

  it("isInstance does not mistake other values for errors", () => {
    for (const value of [undefined, null, 1, "InputError", {}, new Error("InputError"), []]) {
      assert.equal(TriviumError.isInstance(value), false);
      assert.equal(mayHaveBeenProcessed(value), true);
    }
  });

  it("errors do not contain secrets, wherever a secret was", () => {
    const secret = "s3cret-in-errors";
    processRedactor.register(secret);
    const leaky = { summary: `try ${secret}`, method: "GET", url: `https://service.example/${secret}` };
    const headers = { "x-request-id": secret, server: secret };
    for (const error of [
      new TriviumError(secret, { advice: secret }),
      new ServiceError({ request: leaky, status: 400, messages: [`bad ${secret}`], headers, advice: secret }),
      new ConnectionError({ request: leaky, code: "E", problem: secret }),
      requestTimedOut({ request: leaky, phase: "body", timeoutMilliseconds: 1 }),
      new ContractError({ request: secret, at: secret, problem: secret }),
      requestCancelled({ request: leaky }),
    ]) {
      const shown =
        inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error) + String(error.stack);
      assert.ok(!shown.includes(secret) && shown.includes("[secret]"), shown);
    }
  });
});

it("an error from another realm, such as a test runner's VM context, keeps its message and code", () => {
  const error: unknown = runInNewContext("Object.assign(new Error('no such file'), { code: 'ENOENT' })");
  assert.ok(!(error instanceof Error));
  assert.deepEqual([errors.messageOf(error), errors.codeOf(error)], ["no such file", "ENOENT"]);
});
