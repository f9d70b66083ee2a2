import * as pulumi from "@pulumi/pulumi";
import { showable } from "../base/shown-text";

/** Shown as a message of the program. A script prints it to standard error. */
export function announce(kind: "information" | "warning", message: string): void {
  const line = showable(message);
  // A line that cannot be shown is lost, but the result matters.
  void (kind === "warning" ? pulumi.log.warn(line) : pulumi.log.info(line)).catch(() => undefined);
}
