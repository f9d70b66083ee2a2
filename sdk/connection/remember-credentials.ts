import { processRedactor } from "../base/redactor";
import { isObject } from "../base/json";
import { serviceNames, settingsOf } from "../base/settings";
import { findSetting, findToken, type Sources } from "./sources";

/**
 * Registers the credentials of all services for redaction, including those of services without requests in
 * this process. Secrets in files are registered when the file is read.
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

/** The strings of a JSON object, which is the form of headers. */
function membersOf(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? Object.values(value).filter((member) => typeof member === "string") : [];
  } catch {
    return [];
  }
}
