import { type JsonObject, isObject, toJson } from "../base/json";
import { wrapSecret } from "../resource/state/encoding";
import { usePluginConfiguration } from "../connection/program";
import type { ConfigurationReader } from "../connection/sources";

/** The token of a function, such as `trivium:secrets/mfa:getTotpMethod`. */
const token = /^trivium:([a-z]+(?:\/[a-z]+)*):((?:get|list)[A-Za-z]+)$/;

/** @returns `undefined` if there is no such function */
export async function invoke(
  name: string,
  args: JsonObject,
  configuration: ConfigurationReader,
  library: object,
): Promise<JsonObject | undefined> {
  const [, rooms = "", functionName = ""] = token.exec(name) ?? [];
  const member = (space: unknown, key: string): unknown => (isObject(space) ? space[key] : undefined);
  const room = rooms.split("/").reduce<unknown>(member, library);
  const found = member(room, functionName);
  // Functions that create something with each call are for scripts only, and do not have an output form.
  if (typeof found !== "function" || member(room, `${functionName}Output`) === undefined) {
    return undefined;
  }
  usePluginConfiguration(configuration);
  const result = toJson(await (found as (args: JsonObject) => Promise<unknown>)(args));
  if (isObject(result) && "isSecret" in found && found.isSecret === true) {
    return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, wrapSecret(value)]));
  }
  return isObject(result) ? result : {};
}
