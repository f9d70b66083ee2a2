import { showable } from "../base/shown-text";
import { providerProcess } from "./process";
import type { MessageSender } from "./calls";
import { boolean, integer, message as messageType, text } from "./wire";

/** How a line is shown: temporarily on the resource's line, or permanently. */
export type LogKind = "progress" | "information" | "warning";

let sender: MessageSender | undefined;

/** `pulumirpc.LogRequest`. */
const logRequest = messageType({
  severity: integer(1),
  message: text(2),
  urn: text(3),
  ephemeral: boolean(5),
});
const severities = { progress: 1, information: 1, warning: 2 } as const;

/**
 * Shows a line in the CLI for a resource. Does nothing outside the engine's provider process or if the engine
 * cannot be reached: output must not affect operations.
 *
 * @param urn the resource; without one, the line belongs to the stack
 */
export function logToEngine(kind: LogKind, urn: string | undefined, message: string): void {
  const process = providerProcess();
  if (process === undefined || (kind === "progress" && urn === undefined)) {
    return;
  }
  try {
    const line = logRequest.encode({
      severity: severities[kind],
      message: showable(message),
      urn: urn ?? "",
      ephemeral: kind === "progress",
    });
    sender ??= connectToEngine(process.engineAddress);
    sender.send("/pulumirpc.Engine/Log", line);
  } catch {
    // A line that cannot be shown is lost; the operation continues.
  }
}

function connectToEngine(address: string): MessageSender {
  const { MessageSender: Sender } = require("./calls") as typeof import("./calls");
  return new Sender(address);
}
