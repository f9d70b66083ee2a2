import { streamEvents } from "../scheduler";
import { type Command, listOption, textOption, wholeNumber } from "./command";
import { eventLine } from "./event-line";

/** Follows the scheduler's events in a terminal. */
export const eventsCommand: Command = {
  name: "events",
  summary: "follow the scheduler's events",
  help: `Follows the scheduler's events until Ctrl-C: first those that it still holds, then those that come.

  --topic TOPIC      what to get: a topic such as Node, or a subject such as Deployment:web; may be repeated
                     (default: everything, for which the token has to be a management token)
  --namespace NAME   the namespace whose events to get, * for all (default: SCHEDULER_NAMESPACE, else default)
  --index NUMBER     the index to start from (default 0: the oldest that the scheduler holds)
  --json             one event a line as JSON, payload included

The scheduler is found by SCHEDULER_ADDR and SCHEDULER_TOKEN or SCHEDULER_TOKEN_FILE. Interruptions, and events that
may have been missed, are told on standard error.`,
  options: {
    topic: { type: "string", multiple: true },
    namespace: { type: "string" },
    index: { type: "string" },
    json: { type: "boolean" },
  },

  async run(options, terminal) {
    const topics = listOption(options, "topic");
    const namespace = textOption(options, "namespace");
    const index = textOption(options, "index");
    const format = options.json === true ? JSON.stringify : eventLine;
    const frames = streamEvents({
      ...(topics === undefined ? {} : { topics }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(index === undefined ? {} : { index: wholeNumber(index, "--index") }),
      signal: terminal.interrupted,
      onGap: ({ after, next }) => terminal.tell(`Events may have been missed between ${after} and ${next}.`),
      onReconnect: ({ reason, delayMilliseconds }) =>
        terminal.tell(`${reason.replace(/\.$/, "")}; trying again in ${inSeconds(delayMilliseconds)} s.`),
    });
    for await (const frame of frames) {
      for (const event of frame.events) {
        await terminal.print(format(event));
      }
    }
  },
};

function inSeconds(milliseconds: number): number {
  return Math.max(0.1, Math.round(milliseconds / 100) / 10);
}
