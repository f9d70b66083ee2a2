import * as pulumi from "@pulumi/pulumi";
import { showable } from "../base/shown-text";

/** In a program it becomes one of its messages; a script shows it on standard error. */
export function announce(kind: "information" | "warning", message: string): void {
  const line = showable(message);
  // A line that cannot be shown is lost; the result counts.
  void (kind === "warning" ? pulumi.log.warn(line) : pulumi.log.info(line)).catch(() => undefined);
}
