import { processRedactor } from "../base/redactor";
import { isObject } from "../base/json";
import { serviceNames, settingsOf } from "../base/settings";
import { findSetting, findToken, type Sources } from "./sources";

/**
 * From here on the credentials of all services are kept out of everything that people see, also those of services that
 * this process never asks. What is in files is learned when it is read.
 */
export function rememberCredentials(sources: Sources): void {
  for (const service of serviceNames) {
    const token = findToken(sources, service);
    const secrets = settingsOf(service)
      .filter(([, setting]) => setting.secret === true)
      .flatMap(([name]) => findSetting(sources, service, name) ?? []);
    const texts = [...(token?.kind === "token" ? [token] : []), ...secrets].map(({ value }) => value);
    processRedactor.register(...texts.flatMap((text) => [text, ...membersOf(text)]));
  }
}

/** The texts of a JSON object, as which headers are given. */
function membersOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? Object.values(value).filter((member) => typeof member === "string") : [];
  } catch {
    return [];
  }
}
