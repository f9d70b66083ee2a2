import * as pulumi from "@pulumi/pulumi";
import { configurationKey } from "../../base/settings";
import { InputError } from "../../base/errors";
import { showable } from "../../base/shown-text";
import type { AnyResourceDefinition } from "../definition";

/** To import a dynamic resource, the engine calls its provider with only the id, and the process would crash. */
export function assertOptionsWork(
  { type, arguments: known }: AnyResourceDefinition,
  name: string,
  options: pulumi.CustomResourceOptions,
  readable: boolean,
  isDynamic: boolean,
): void {
  if (options.import === undefined || (readable && !isDynamic)) {
    return;
  }
  const className = type.slice(type.indexOf(":") + 1);
  const ways = [
    ...(readable ? ["use the provider plugin for the import: `npx pulumi-trivium use-plugin`"] : []),
    ...(known.adopt === undefined ? [] : ["adopt the existing object with the argument `adopt: true`"]),
  ];
  const instead =
    ways.length === 0
      ? `Remove it: objects of ${className} cannot be imported.`
      : `Remove it and ${ways.join(", or ")}.`;
  throw new InputError(
    `The option \`import\` of the ${className} "${name}" is not supported${isDynamic ? " for a dynamic resource" : ""}. ${instead}`,
  );
}

export function warnOfOptions(
  { type, service, timeoutArgument }: AnyResourceDefinition,
  name: string,
  { customTimeouts }: pulumi.CustomResourceOptions,
): void {
  if (customTimeouts === undefined) {
    return;
  }
  const setting = `the setting \`requestTimeout\` (${configurationKey(service.name, "requestTimeout")})`;
  const instead =
    timeoutArgument === undefined
      ? `Use ${setting}, which limits the time of each request.`
      : `Use the argument \`${timeoutArgument}\` to limit the wait, and ${setting} to limit the time of each request.`;
  void pulumi.log.warn(
    showable(
      `The option \`customTimeouts\` of the ${type.slice(type.indexOf(":") + 1)} "${name}" has no effect: the engine does ` +
        `not pass it to dynamic resources. ${instead}`,
    ),
  );
}
