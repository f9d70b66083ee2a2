import assert from "node:assert/strict";
import { processRedactor } from "../../../sdk/base/redactor";
import { CancelledError, messageOf } from "../../../sdk/base/errors";
import { LifecycleError, PartialSuccessError, reportable } from "../../../sdk/engine/reports";
import { firstProblems } from "../../../sdk/base/schema";

const type = "test:Thing";
const secret = "canary-of-failure-test";

async function reported(thrown: unknown): Promise<LifecycleError> {
  const error = await reportable(type, () => Promise.reject(thrown as Error)).catch((each: unknown) => each);
  assert.ok(error instanceof LifecycleError);
  return error;
}

describe("reportable", () => {
  before(() => processRedactor.register(secret));

  it("reportable keeps only the message of a thrown value, without secrets", async () => {
    const thrown = new Error(`the service said ${secret}`);
    const error = await reported(thrown);
    assert.equal(error.cause, thrown);
    assert.equal(error.message, "the service said [secret]");
    // As the engine's process prints it, and the CLI then shows it once more.
    assert.equal(`${String(error)}: ${error.stack ?? ""}`, ": ");
    assert.ok(!JSON.stringify(error).includes(secret));
    // What is no error becomes readable too.
    assert.equal((await reported(`plain ${secret}`)).message, "plain [secret]");
    assert.equal((await reported(undefined)).message, "undefined");
  });

  it("reportable distinguishes a defect of the library, with its stack, from a failure", async () => {
    for (const Bug of [TypeError, RangeError, ReferenceError]) {
      const { message } = await reported(new Bug("odd"));
      assert.match(
        message,
        /^pulumi-trivium failed unexpectedly while handling test:Thing: .*failure\.test\.ts/s,
      );
    }
  });

  it("reportable passes on a partial success as it is, so that the object is kept", async () => {
    const properties = { label: "a", __provider: "text" };
    const partial = new PartialSuccessError("thing-1", properties, `written, but ${secret}`);
    const error = await reported(partial);
    assert.equal(error, partial);
    assert.deepEqual([partial.id, partial.properties], ["thing-1", properties]);
    assert.deepEqual(partial.reasons, ["written, but [secret]"]);
  });

  it("the message of a time limit is shown if the limit ended the operation, and not otherwise", async () => {
    const cancelled = new CancelledError("POST was cancelled.", { mayHaveBeenProcessed: true });
    const failing = (error: Error, timeout?: number) =>
      reportable(type, () => Promise.reject(error), timeout);
    const message = `The operation exceeded its customTimeouts limit of 30 s. ${messageOf(cancelled)}`;
    await assert.rejects(failing(cancelled, 30), { message });
    await assert.rejects(failing(new Error("no"), 30), { message: "no" });
    await assert.rejects(failing(cancelled), { message: messageOf(cancelled) });
  });

  it("reportable returns the hook's result, and treats a hook that throws like one that rejects", async () => {
    assert.equal(await reportable(type, () => Promise.resolve(5)), 5);
    await assert.rejects(
      reportable(type, () => assert.fail("at once")),
      LifecycleError,
    );
  });
});

it("many problems are shown as the first ten and their number", () => {
  const problems = Array.from({ length: 25 }, (_, index) => `problem ${index}`);
  const shown = firstProblems(problems, (more) => `and ${more} more`);
  assert.deepEqual(shown, [...problems.slice(0, 10), "and 15 more"]);
  assert.deepEqual(firstProblems(problems.slice(0, 10), String), problems.slice(0, 10));
});
