import { InputError, sentence } from "../base/errors";
import { showable } from "../base/shown-text";
import { streamExactly } from "../scheduler/functions";
import { type Command, forCommandLine, listOption, textOption, UsageError, largeNumber } from "./command";
import { eventHeading, eventJson, eventLine } from "./event-line";

export const eventsCommand: Command = {
  name: "events",
  summary: "follow the scheduler's events",
  description: ["Prints the scheduler's events until Ctrl-C: first those in its buffer, then new ones."],
  options: {
    topic: {
      multiple: true,
      placeholder: "TOPIC",
      meaning:
        "a topic such as Node, or a topic and key such as Deployment:web (default: all topics, which requires a management token)",
    },
    namespace: {
      placeholder: "NAME",
      meaning: "the namespace of the events, * for all (default: SCHEDULER_NAMESPACE, else default)",
    },
    index: {
      placeholder: "NUMBER",
      meaning: "the index to start from (default: 0, the oldest event in the buffer)",
    },
    json: { meaning: "print one JSON object per event, payload included" },
  },
  notes: [
    "Settings come from SCHEDULER_ADDR and SCHEDULER_TOKEN or SCHEDULER_TOKEN_FILE. Interruptions and possible gaps are reported on standard error.",
  ],

  async run(options, terminal) {
    const topics = listOption(options, "topic");
    const namespace = textOption(options, "namespace");
    const index = textOption(options, "index");
    const format = options.json === true ? eventJson : eventLine;
    // Not repeated while the connection is interrupted for the same reason.
    let lastReason: string | undefined;
    let isHeaded = options.json === true;
    const frames = streamExactly(
      {
        ...(topics.length === 0 ? {} : { topics }),
        ...(namespace === undefined ? {} : { namespace }),
        signal: terminal.interrupted,
        onGap: ({ after, next }) =>
          terminal.tell(showable(`Events between the indexes ${after} and ${next} might have been missed.`)),
        onReconnect({ reason, delayMilliseconds }) {
          const seconds = Math.max(0.1, Math.round(delayMilliseconds / 100) / 10);
          const why = reason === lastReason ? "" : `${asSentence(reason)} `;
          terminal.tell(showable(`${why}Reconnecting in ${seconds} s.`));
          lastReason = reason;
        },
      },
      index === undefined ? 0 : largeNumber(index, "--index"),
    );
    try {
      for await (const frame of frames) {
        lastReason = undefined;
        for (const event of frame.events) {
          if (!isHeaded) {
            // Standard output has exactly one line per event.
            terminal.tell(eventHeading());
            isHeaded = true;
          }
          await terminal.print(format(event));
        }
      }
    } catch (error) {
      throw InputError.isInstance(error)
        ? new UsageError(error.message.replace(/^scheduler\.streamEvents: /, ""))
        : forCommandLine(error);
    }
  },
};

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${sentence(text.slice(1))}`;
}
