import { defineCase, unannounced } from "../support/case";

export const eventGate = defineCase({
  type: "scheduler:EventGate",
  async prepare(services) {
    const context = services.context("scheduler", () => []);
    const { emulator } = context;
    const happened = await services.scheduler.happen();
    // It creates no object: its only trace is the request for the stream.
    const listened = emulator && {
      objects: () => emulator.journal.requests({ path: "/v1/event/stream" }).map((each) => ({ ...each })),
    };
    return { ...context, ...listened, happened };
  },
  needs: ["scheduler", "scheduler with ACLs"],
  count: "not shown by the service",
  valid: ({ happened: { topic, type, filter, keys } }) => ({
    topics: [`${topic}:${filter}`, "Job"],
    match: { type, key: keys[0] },
    timeout: "1h",
    namespace: "default",
    index: 1,
    triggers: { version: 1 },
  }),
  spellings: ({ happened: { topic, filter } }) => ({ topics: ["Job", `${topic}:${filter}`], timeout: 3600 }),
  changes: [
    { topics: ({ happened }) => [happened.topic] },
    { match: ({ happened: { topic, keys } }) => ({ topic, key: keys[1] }) },
    { timeout: "1m" },
    { namespace: "*" },
    { index: 2 },
    { triggers: { version: 2 } },
  ],
  withoutWaiting: { timeout: "3s" },
  // The recorded request cannot be undone.
  leftByDeletion: unannounced,
});
