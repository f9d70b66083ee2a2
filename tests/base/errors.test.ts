import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { inspect } from "node:util";
import {
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  mayHaveBeenProcessed,
  NotFoundError,
  requestCancelled,
  requestTimedOut,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../../sdk/base/errors";
import { processRedactor } from "../../sdk/base/redactor";

const request = {
  summary: "create the project",
  method: "POST",
  url: "https://service.example/api/v2/projects",
};

const examples: Readonly<Record<string, TriviumError>> = {
  TriviumError: new TriviumError("It did not work."),
  ServiceError: new ServiceError({
    request,
    status: 422,
    messages: ["name is taken", "name is short"],
    headers: { "x-request-id": "r-1" },
    advice: "Take another name.",
  }),
  ConnectionError: new ConnectionError({
    request,
    code: "ECONNRESET",
    problem: "it broke",
    mayHaveBeenProcessed: true,
  }),
  TimeoutError: requestTimedOut({ request, phase: "headers", timeoutMilliseconds: 1500, attempts: 3 }),
  ContractError: new ContractError({
    request: "GET https://service.example/x",
    at: "data.id",
    problem: "expected a string",
  }),
  CancelledError: requestCancelled({ request }),
  ConfigurationError: new ConfigurationError("No address."),
  InputError: new InputError("Refused."),
  NotFoundError: new NotFoundError("There is no project prj-1."),
};

const messages: Readonly<Record<string, string>> = {
  TriviumError: "It did not work.",
  ServiceError:
    "Could not create the project: POST https://service.example/api/v2/projects returned 422 " +
    "(request id r-1): name is taken; name is short. Take another name.",
  ConnectionError:
    "Could not create the project: POST https://service.example/api/v2/projects failed: it broke.",
  TimeoutError:
    "Could not create the project: POST https://service.example/api/v2/projects timed out after 3 attempts: " +
    "no response within 1.5 s.",
  ContractError: "Unexpected response to GET https://service.example/x: data.id: expected a string.",
  CancelledError:
    "Cancelled while trying to create the project: POST https://service.example/api/v2/projects; " +
    "the service has not processed it.",
  ConfigurationError: "No address.",
  InputError: "Refused.",
  NotFoundError: "There is no project prj-1.",
};

const classes = [
  ServiceError,
  ConnectionError,
  TimeoutError,
  ContractError,
  CancelledError,
  ConfigurationError,
  InputError,
  NotFoundError,
] as const;

describe("errors", () => {
  for (const [name, error] of Object.entries(examples)) {
    it(`${name} says what was tried, what happened and what to do`, () => {
      assert.equal(error.message, messages[name]);
      assert.equal(error.name, name);
      assert.ok(error instanceof Error);
    });

    it(`${name} is distinguished from the others`, () => {
      assert.ok(TriviumError.isInstance(error));
      const recognized = classes.filter((each) => each.isInstance(error)).map((each) => each.name);
      assert.deepEqual(recognized, name === "TriviumError" ? [] : [name]);
    });
  }

  it("of a response tell its status, method, address and request id", () => {
    const error = examples.ServiceError;
    assert.ok(ServiceError.isInstance(error));
    const { status, method, url, requestId, headers, attempts } = error;
    assert.deepEqual(
      { status, method, url, requestId, headers, attempts },
      {
        status: 422,
        method: request.method,
        url: request.url,
        requestId: "r-1",
        headers: { "x-request-id": "r-1" },
        attempts: 1,
      },
    );
  });

  it("are recognized when another copy of the package made them", () => {
    const load = createRequire(__filename);
    const path = load.resolve("../../sdk/base/errors");
    const own = load.cache[path];
    Reflect.deleteProperty(load.cache, path);
    const copy = load(path) as { readonly InputError: typeof InputError };
    load.cache[path] = own;
    const error = new copy.InputError("from the copy");
    assert.ok(!(error instanceof InputError));
    assert.ok(InputError.isInstance(error));
    assert.ok(TriviumError.isInstance(error));
    assert.ok(!ServiceError.isInstance(error));
  });

  it("are not confused by other values", () => {
    for (const value of [undefined, null, 1, "InputError", {}, new Error("InputError"), []]) {
      assert.equal(TriviumError.isInstance(value), false);
    }
  });

  it("hold no secret, wherever one was", () => {
    const secret = "s3cret-in-errors";
    processRedactor.register(secret);
    const leaky = { summary: `try ${secret}`, method: "GET", url: `https://service.example/${secret}` };
    const errors = [
      new TriviumError(secret, { advice: secret }),
      new ServiceError({
        request: leaky,
        status: 400,
        messages: [`bad ${secret}`],
        headers: { "x-request-id": secret, server: secret },
        advice: secret,
      }),
      new ConnectionError({ request: leaky, code: "E", problem: secret }),
      requestTimedOut({ request: leaky, phase: "body", timeoutMilliseconds: 1 }),
      new ContractError({ request: secret, at: secret, problem: secret }),
      requestCancelled({ request: leaky }),
    ];
    for (const error of errors) {
      const everything = `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}${String(error.stack)}`;
      assert.ok(!everything.includes(secret), everything);
      assert.ok(everything.includes("[secret]"));
    }
  });

  it("say whether the service may have acted", () => {
    assert.equal(mayHaveBeenProcessed(examples.ServiceError), false);
    assert.equal(mayHaveBeenProcessed(examples.ConnectionError), true);
    assert.equal(mayHaveBeenProcessed(examples.ContractError), true);
    assert.equal(mayHaveBeenProcessed(examples.InputError), false);
    assert.equal(mayHaveBeenProcessed(new Error("what is not ours")), true);
  });

  it("have their former names for advice and messages", () => {
    const error = new ServiceError({ request, status: 422, messages: ["no name"], advice: "Give it one." });
    const former = error as unknown as Readonly<Record<"hint" | "words", unknown>>;
    assert.equal(former.hint, "Give it one.");
    assert.deepEqual(former.words, ["no name"]);
  });
});
