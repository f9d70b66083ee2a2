/**
 * Replaces `@pulumi/pulumi` in the plugin, which does not run programs: the SDK takes half a second to load.
 */
import type { ShownText } from "../base/shown-text";
import { type LogKind, logToEngine } from "../engine/progress";

function noProgram(): never {
  throw new Error("No program runs in the provider plugin.");
}

class OfPrograms {
  readonly urn = noProgram();
}

export const Output = { isInstance: () => false };

let isPreview = false;

/** The settings of the program whose call runs next. */
export function programIsPreview(value: boolean): void {
  isPreview = value;
}

export const runtime = {
  isDryRun: () => isPreview,
  getConfig: () => undefined,
  getMonitor: () => undefined,
  // A program calls the functions.
  hasMonitor: () => true,
};

export const log = { debug: shownAs("debug"), info: shownAs("information"), warn: shownAs("warning") };

function shownAs(kind: LogKind): (line: ShownText) => Promise<void> {
  return (line) => {
    logToEngine(kind, undefined, line);
    return Promise.resolve();
  };
}

export {
  OfPrograms as CustomResource,
  OfPrograms as ProviderResource,
  OfPrograms as Resource,
  noProgram as all,
  noProgram as createUrn,
  noProgram as getOrganization,
  noProgram as getProject,
  noProgram as getStack,
  noProgram as isSecret,
  noProgram as isUnknown,
  noProgram as mergeOptions,
  noProgram as output,
  noProgram as secret,
  noProgram as unknown,
  noProgram as unsecret,
  noProgram as version,
};
