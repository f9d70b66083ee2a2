import assert from "node:assert/strict";
import type { WaitRuntime } from "../../../sdk/base/runtime";
import { checkOutWhenFree, type CheckOutRequest } from "../../../sdk/secrets/directory/check-out";
import { failure } from "../../http/calls";
import { ManualClock } from "../../http/clock";
import { stopServers } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
import { secretsClientOf } from "../emulated-client";
import { accountsOut, addLibrarySet, borrow, giveBack } from "./emulated-library";

const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };

describe("waiting for a free account", () => {
  const emulator = useEmulator({ resets: false });
  const progress: string[] = [];
  const set = { mount: "ldap", name: "operators" };
  const callerWith = (signal = new AbortController().signal) => ({
    signal,
    progress: (message: string) => void progress.push(message),
    announce: () => undefined,
  });
  const wait = (runtime: WaitRuntime, more: Partial<CheckOutRequest> = {}, caller = callerWith()) =>
    checkOutWhenFree(
      secretsClientOf(emulator, caller),
      caller,
      { set, ttl: undefined, waitFor: 60, ...more },
      runtime,
    );
  /** A clock on which waits take no time, but pass; `during` is called in each of them. */
  const clockWith = (during: (sleeps: number) => unknown = () => undefined) => {
    let time = 5_000_000;
    const pauses: number[] = [];
    return {
      pauses,
      now: () => time,
      sleep: async (milliseconds: number): Promise<void> => {
        time += milliseconds;
        pauses.push(milliseconds / 1000);
        await during(pauses.length);
      },
    };
  };

  afterEach(stopServers);
  beforeEach(async () => {
    progress.length = 0;
    emulator.reset();
    await addLibrarySet(emulator, ["svc-1"]);
  });

  it("takes no time when one is free, and says nothing", async () => {
    const clock = clockWith();
    const outcome = await wait(clock);
    assert.equal(outcome.kind, "checked out");
    assert.deepEqual([clock.pauses, progress], [[], []]);
  });

  it("goes on until one is checked in, and says so", async () => {
    await borrow(emulator, emulator.secrets.token);
    emulator.journal.clear();
    const clock = clockWith((sleeps) => (sleeps === 6 ? giveBack(emulator, "svc-1") : undefined));
    const outcome = await wait(clock);
    assert.equal(outcome.kind, "checked out");
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 10, 10]);
    assert.deepEqual(progress, [
      ...[0, 1, 3, 7, 15, 25].map(
        (waited) => `waiting for a free account of operators (${waited} s of 60 s)`,
      ),
      "an account was free",
    ]);
    assert.equal(emulator.journal.count(checkOut), 1, "nothing is asked for while none is free");
  });

  it("goes on when somebody else is quicker", async () => {
    const token = emulator.secrets.addToken();
    let quicker: string | undefined;
    const settings = await serviceWith(emulator, async ({ url }, response) => {
      if (url.endsWith("/status")) {
        quicker ??= await borrow(emulator, token);
      }
      return response;
    });
    const clock = clockWith(() => giveBack(emulator, "svc-1"));
    const caller = callerWith();
    const client = secretsClientOf(emulator, caller, settings);
    const outcome = await checkOutWhenFree(client, caller, { set, ttl: null, waitFor: 60 }, clock);
    assert.equal(outcome.kind, "checked out");
    assert.deepEqual(clock.pauses, [1]);
  });

  it("gives up when the time is over, and says who holds what", async () => {
    await borrow(emulator, emulator.secrets.token);
    const clock = clockWith();
    const error = await failure(wait(clock, { waitFor: 20 }));
    assert.match(
      error.message,
      /^No account of .* is free: svc-1 \(checked out by a token with the hash \w+\)\. No account became free within 20 s. To wait longer, raise waitFor \(now 20 s\)\.$/,
    );
    assert.deepEqual(clock.pauses, [1, 2, 4, 8, 5]);
    assert.equal(error.mayHaveBeenProcessed, false);
  });

  for (const waitFor of [undefined, null, 0]) {
    it(`is not done when nobody asked for it: ${String(waitFor)}`, async () => {
      await borrow(emulator, emulator.secrets.token);
      const clock = clockWith();
      const error = await failure(wait(clock, { waitFor }));
      assert.match(error.message, /To wait in a program, set waitFor of LibraryCheckout\.$/);
      assert.deepEqual(clock.pauses, []);
    });
  }

  it("is of no use in a set without accounts, and says that", async () => {
    const status = { method: "GET", path: "/v1/ldap/library/:name/status" };
    emulator.faults.add({ ...status, status: 200, body: { data: {} } });
    const error = await failure(wait(clockWith(), { waitFor: 0 }));
    assert.match(error.message, /is free: it has no accounts\./);
  });

  it("ends at once when it is cancelled; nothing was checked out", async () => {
    await borrow(emulator, emulator.secrets.token);
    const cancellation = new AbortController();
    const clock = new ManualClock();
    const asleep = new Promise<void>((resolve) => {
      const { sleep } = clock;
      Object.assign(clock, {
        sleep: (milliseconds: number, signal?: AbortSignal) => {
          resolve();
          return sleep(milliseconds, signal);
        },
      });
    });
    const waiting = failure(wait(clock, {}, callerWith(cancellation.signal)));
    await asleep;
    cancellation.abort();
    const { message } = await waiting;
    assert.equal(
      message,
      'Cancelled while waiting for a free account of the library set "operators" of the mount ldap. None was checked out.',
    );
    assert.equal(clock.asleep, 0);
  });

  it("waits by the real clock by default, and can be cancelled there too", async () => {
    await borrow(emulator, emulator.secrets.token);
    const cancellation = new AbortController();
    const caller = {
      ...callerWith(cancellation.signal),
      progress: () => setImmediate(() => cancellation.abort()),
    };
    const waiting = checkOutWhenFree(secretsClientOf(emulator, caller), caller, {
      set,
      ttl: 60,
      waitFor: 86_400,
    });
    assert.match((await failure(waiting)).message, /^Cancelled while waiting/);
  });

  it("finds out after Ctrl-C what a response that did not come has taken", async () => {
    const cancellation = new AbortController();
    const settings = await serviceWith(emulator, ({ url }, response) => {
      if (!url.endsWith("/check-out")) {
        return response;
      }
      cancellation.abort();
      return undefined;
    });
    const caller = callerWith(cancellation.signal);
    const client = secretsClientOf(emulator, caller, settings);
    const outcome = await checkOutWhenFree(client, caller, { set, ttl: null, waitFor: null });
    assert.equal(cancellation.signal.aborted, true);
    assert.equal(outcome.kind, "response lost");
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });
});
