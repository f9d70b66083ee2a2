import { InputError } from "../base/errors";
import { showable, showableJson } from "../base/shown-text";
import { type Reconnection, streamEvents } from "../scheduler";
import { type Command, forCommandLine, listOption, textOption, UsageError, wholeNumber } from "./command";
import { eventHeading, eventLine } from "./event-line";
import type { Terminal } from "./terminal";

export const eventsCommand: Command = {
  name: "events",
  summary: "follow the scheduler's events",
  description: ["Prints the scheduler's events until Ctrl-C: first those in its buffer, then new ones."],
  options: {
    topic: {
      type: "string",
      multiple: true,
      placeholder: "TOPIC",
      meaning:
        "a topic such as Node, or a topic and key such as Deployment:web (default: all topics, which requires a management token)",
    },
    namespace: {
      type: "string",
      placeholder: "NAME",
      meaning: "the namespace of the events, * for all (default: SCHEDULER_NAMESPACE, else default)",
    },
    index: {
      type: "string",
      placeholder: "NUMBER",
      meaning: "the index to start from (default: 0, the oldest event in the buffer)",
    },
    json: { type: "boolean", meaning: "print one JSON object per event, payload included" },
  },
  notes: [
    "Settings come from SCHEDULER_ADDR and SCHEDULER_TOKEN or SCHEDULER_TOKEN_FILE. Interruptions and possible gaps are reported on standard error.",
  ],

  async run(options, terminal) {
    const topics = listOption(options, "topic");
    const namespace = textOption(options, "namespace");
    const index = textOption(options, "index");
    const format = options.json === true ? showableJson : eventLine;
    const interruptions = new Interruptions(terminal);
    let isHeaded = options.json === true;
    const frames = streamEvents({
      ...(topics === undefined ? {} : { topics }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(index === undefined ? {} : { index: wholeNumber(index, "--index") }),
      signal: terminal.interrupted,
      onGap: ({ after, next }) =>
        terminal.tell(showable(`Events between the indexes ${after} and ${next} may have been missed.`)),
      onReconnect: (reconnection) => interruptions.tell(reconnection),
    });
    try {
      for await (const frame of frames) {
        interruptions.areOver();
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

/** Repeats the reason of an interruption only if it changed. */
class Interruptions {
  private told: string | undefined;

  constructor(private readonly terminal: Terminal) {}

  tell({ reason, delayMilliseconds }: Reconnection): void {
    const again = `Reconnecting in ${inSeconds(delayMilliseconds)} s.`;
    this.terminal.tell(showable(reason === this.told ? again : `${asSentence(reason)} ${again}`));
    this.told = reason;
  }

  areOver(): void {
    this.told = undefined;
  }
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
}

function inSeconds(milliseconds: number): number {
  return Math.max(0.1, Math.round(milliseconds / 100) / 10);
}
