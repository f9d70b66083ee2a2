import { InputError } from "../base/errors";
import { showable, showableJson } from "../base/shown-text";
import { type Reconnection, streamEvents } from "../scheduler";
import { type Command, forCommandLine, listOption, textOption, UsageError, wholeNumber } from "./command";
import { eventLine } from "./event-line";
import type { Terminal } from "./terminal";

/** Follows the scheduler's events in a terminal. */
export const eventsCommand: Command = {
  name: "events",
  summary: "follow the scheduler's events",
  description: [
    "Follows the scheduler's events until Ctrl-C: first those that it still holds, then those that come.",
  ],
  options: {
    topic: {
      type: "string",
      multiple: true,
      placeholder: "TOPIC",
      meaning:
        "what to get: a topic such as Node, or a subject such as Deployment:web (default: everything, for which the token has to be a management token)",
    },
    namespace: {
      type: "string",
      placeholder: "NAME",
      meaning: "the namespace whose events to get, * for all (default: SCHEDULER_NAMESPACE, else default)",
    },
    index: {
      type: "string",
      placeholder: "NUMBER",
      meaning: "the index to start from (default: 0, the oldest that the scheduler holds)",
    },
    json: { type: "boolean", meaning: "one event a line as JSON, payload included" },
  },
  notes: [
    "The scheduler is found by SCHEDULER_ADDR and SCHEDULER_TOKEN or SCHEDULER_TOKEN_FILE. Interruptions, and events that may have been missed, are told on standard error.",
  ],

  async run(options, terminal) {
    const topics = listOption(options, "topic");
    const namespace = textOption(options, "namespace");
    const index = textOption(options, "index");
    const format = options.json === true ? showableJson : eventLine;
    const interruptions = new Interruptions(terminal);
    const frames = streamEvents({
      ...(topics === undefined ? {} : { topics }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(index === undefined ? {} : { index: wholeNumber(index, "--index") }),
      signal: terminal.interrupted,
      onGap: ({ after, next }) =>
        terminal.tell(showable(`Events may have been missed between ${after} and ${next}.`)),
      onReconnect: (reconnection) => interruptions.tell(reconnection),
    });
    try {
      for await (const frame of frames) {
        interruptions.areOver();
        for (const event of frame.events) {
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

/** Tells of interruptions; why, only when that is new. */
class Interruptions {
  private told: string | undefined;

  constructor(private readonly terminal: Terminal) {}

  tell({ reason, delayMilliseconds }: Reconnection): void {
    const again = `Trying again in ${inSeconds(delayMilliseconds)} s.`;
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
