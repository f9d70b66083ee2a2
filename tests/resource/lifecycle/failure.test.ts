import assert from "node:assert/strict";
import { processRedactor } from "../../../sdk/base/redactor";
import { CancelledError, messageOf } from "../../../sdk/base/errors";
import { LifecycleError, PartialSuccessError, reportable } from "../../../sdk/engine/reports";
import { firstProblems } from "../../../sdk/base/schema";

const type = "test:Thing";
const secret = "canary-of-failure-test";

async function reported(thrown: unknown): Promise<LifecycleError> {
  try {
    // Whatever is thrown anywhere has to become readable, errors or not.
    await reportable(type, () => Promise.reject(thrown as Error));
  } catch (error) {
    assert.ok(error instanceof LifecycleError);
    return error;
  }
  throw new assert.AssertionError({ message: "expected a failure" });
}

describe("reportable", () => {
  before(() => processRedactor.register(secret));

  it("reportable returns what the hook returns", async () => {
    assert.equal(await reportable(type, () => Promise.resolve(5)), 5);
  });

  it("reportable leaves nothing but the message of what was thrown, without secrets", async () => {
    const thrown = new Error(`the service said ${secret}`);
    const error = await reported(thrown);
    assert.equal(error.cause, thrown);
    assert.equal(error.message, "the service said [secret]");
    // As the engine's process prints it, and the CLI then shows it once more.
    assert.equal(`${String(error)}: ${error.stack ?? ""}`, ": ");
    assert.ok(!JSON.stringify(error).includes(secret));
  });

  it("reportable makes something readable of what is no error", async () => {
    assert.equal((await reported(`plain ${secret}`)).message, "plain [secret]");
    assert.equal((await reported(undefined)).message, "undefined");
  });

  for (const bug of [
    new TypeError("x is not a function"),
    new RangeError("too deep"),
    new ReferenceError("no x"),
  ]) {
    it(`reportable tells a defect of the library from a failure: ${bug.name}`, async () => {
      const { message } = await reported(bug);
      assert.match(message, /^pulumi-trivium failed unexpectedly while handling test:Thing: /);
      assert.ok(message.includes("failure.test.ts"), "with the place");
    });
  }

  it("reportable passes on a partial success as it is, so that the object is kept", async () => {
    const properties = { label: "a", __provider: "text" };
    const partial = new PartialSuccessError("thing-1", properties, `written, but ${secret}`);
    const error = await reported(partial);
    assert.equal(error, partial);
    assert.deepEqual([partial.id, partial.properties], ["thing-1", properties]);
    assert.deepEqual(partial.reasons, ["written, but [secret]"]);
  });

  const cancelled = new CancelledError("POST was cancelled.", { mayHaveBeenProcessed: true });
  const failing = (error: Error, timeout?: number): Promise<never> =>
    reportable(type, () => Promise.reject(error), timeout);

  it("the message of a time limit says that it was exceeded when it ended the operation", () =>
    assert.rejects(failing(cancelled, 30), {
      message: `The operation exceeded the 30 s of customTimeouts. ${messageOf(cancelled)}`,
    }));

  it("the message of a time limit says nothing when the operation failed, or there is none", async () => {
    await assert.rejects(failing(new Error("no"), 30), { message: "no" });
    await assert.rejects(failing(cancelled), { message: messageOf(cancelled) });
  });

  it("reportable treats a hook that throws synchronously as one that fails", async () => {
    const hook = (): Promise<never> => {
      throw new Error("at once");
    };
    await assert.rejects(reportable(type, hook), (error) => error instanceof LifecycleError);
  });
});

describe("many problems", () => {
  it("many problems are shown as the first ten and their number", () => {
    const problems = Array.from({ length: 25 }, (_, index) => `problem ${index}`);
    const shown = firstProblems(problems, (more) => `and ${more} more`);
    assert.deepEqual(shown, [...problems.slice(0, 10), "and 15 more"]);
    assert.deepEqual(firstProblems(problems.slice(0, 10), String), problems.slice(0, 10));
  });
});
