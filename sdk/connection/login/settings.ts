import { ConfigurationError } from "../../base/errors";
import { problemInPath } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import type { ServiceName } from "../../base/settings";
import { type Found, objectIn } from "../sources";

/** A login as the user wrote it. Each object corresponds to one token. */
export interface Login {
  readonly source: string;
  /** The values by name. A suffix of the name selects where the value is read: see {@link places}. */
  readonly members: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The suffixes of members that select where a value is read. */
export const places = /(?:File|Variable|GithubAudience)$/;

/** The members that are not secret. */
export const openValues = new Set(["path", "namespace", "method", "role", "name", "username"]);

/**
 * Validates a login without reading files or variables, and registers its secrets for redaction.
 *
 * @throws ConfigurationError
 */
export function loginOf(
  service: ServiceName,
  { value, source }: Found,
  environment: Login["environment"],
): Login {
  const members = objectIn(value);
  const problem = problemIn(service, members);
  if (problem !== undefined) {
    throw new ConfigurationError(`The login from ${source} is not valid: ${problem}.`);
  }
  processRedactor.register(...secretsIn(value));
  return { source, members: members as Login["members"], environment };
}

function problemIn(service: ServiceName, members?: Readonly<Record<string, unknown>>): string | undefined {
  const isScheduler = service === "scheduler";
  const required = isScheduler ? ["method", "jwt"] : ["path"];
  if (members === undefined) {
    const example = isScheduler ? '"method":"ci"' : '"path":"jwt","role":"ci"';
    return `expected a JSON object such as {${example},"jwtFile":"token"}`;
  }
  const names = Object.keys(members).map((member) => member.replace(places, ""));
  const problems = Object.entries(members).map(([member, text], index) => {
    const name = names[index] ?? "";
    // GitHub has a default audience.
    if (typeof text !== "string" || (text === "" && !member.endsWith("GithubAudience"))) {
      return `\`${member}\` must be a string, and not empty`;
    }
    if (!/^[a-z]\w*$/i.test(name) || (isScheduler && !required.includes(name))) {
      return `\`${member}\` is not a valid member`;
    }
    if (names.lastIndexOf(name) !== index) {
      return `\`${name}\` is set more than once`;
    }
    const mount = text.replace(/^\/+|\/+$/g, "");
    if (member === "path" && /^auth\/|\/login$/.test(mount)) {
      return '`path` is the path of the mount alone, such as "jwt", without "auth/" and "/login"';
    }
    const parts = member === "path" ? mount.split("/") : member === "username" ? [text] : [];
    const problem = parts.map(problemInPath).find(Boolean);
    return problem && `\`${name}\` ${problem}`;
  });
  const missing = required.filter((name) => !names.includes(name));
  const missed = missing.length === 0 ? undefined : `\`${missing.join("` and `")}\` is missing`;
  return problems.find(Boolean) ?? missed;
}

export function secretsIn(text: string): string[] {
  return Object.entries(objectIn(text) ?? { text }).flatMap(([member, value]) =>
    openValues.has(member) || places.test(member) || typeof value !== "string" ? [] : [value],
  );
}
