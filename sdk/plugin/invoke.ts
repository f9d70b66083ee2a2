import { type JsonObject, isObject, toJson } from "../base/json";
import { wrapSecret } from "../resource/state/encoding";
import { usePluginConfiguration } from "../connection/program";
import type { ConfigurationReader } from "../connection/sources";

/** The token of a function, such as `trivium:secrets/mfa:getTotpMethod`. */
const token = /^trivium:([a-z]+(?:\/[a-z]+)*):((?:get|list)[A-Za-z]+)$/;

/**
 * @param load loads a module of the library, such as `secrets/mfa`
 * @returns `undefined` if there is no such function
 */
export async function invoke(
  name: string,
  args: JsonObject,
  configuration: ConfigurationReader,
  load: (module: string) => object,
): Promise<JsonObject | undefined> {
  const [, rooms = "", functionName = ""] = token.exec(name) ?? [];
  const room = rooms === "" ? {} : (load(rooms) as Record<string, unknown>);
  const found = room[functionName];
  // Functions for scripts only, which create something with each call, have no output form.
  if (typeof found !== "function" || room[`${functionName}Output`] === undefined) {
    return undefined;
  }
  usePluginConfiguration(configuration);
  const result = toJson(await (found as (args: JsonObject) => Promise<unknown>)(args));
  if (isObject(result) && "isSecret" in found && found.isSecret === true) {
    return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, wrapSecret(value)]));
  }
  return isObject(result) ? result : {};
}
