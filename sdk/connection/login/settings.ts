import { readFile } from "node:fs/promises";
import { codeOf, ConfigurationError } from "../../base/errors";
import { isObject } from "../../base/json";
import { problemInPath } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import type { ServiceName } from "../../base/settings";
import type { ProxySettings } from "../../http/connection-settings";
import type { Found } from "../sources";

/** A login as the user wrote it. The same object is the same login, and has one token. */
export interface Login {
  /** The source, as text that follows "comes from". */
  readonly source: string;
  /** The values, each under its own name, or that of a place to read it. */
  readonly members: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly proxies: ProxySettings;
}

/** What follows the name of a value that has to be read. */
const places = /(?:File|Variable|GithubAudience)$/;

/** Values that say where and as whom to log in, but prove nothing. */
const open = new Set(["path", "namespace", "method", "role", "name", "username"]);

/** What each service's login consists of: values without which there is none, and all that it may have. */
const forms: Readonly<Record<ServiceName, { readonly required: readonly string[]; readonly only?: RegExp }>> =
  {
    provisioning: { required: [] },
    secrets: { required: ["path"] },
    scheduler: { required: ["method", "jwt"], only: /^(?:method|jwt)$/ },
  };

/**
 * Validates a login without reading files or variables, and registers its secrets for redaction.
 *
 * @throws ConfigurationError naming the member
 */
export function loginOf(
  service: ServiceName,
  { value, source }: Found,
  environment: Login["environment"],
  proxies: ProxySettings,
): Login {
  const invalid = (problem: string): ConfigurationError =>
    new ConfigurationError(`The login from ${source} is not valid: ${problem}.`);
  const { required, only } = forms[service];
  const members = jsonIn(value);
  if (!isObject(members)) {
    const example =
      service === "scheduler"
        ? { method: "ci", jwtFile: "token" }
        : { path: "jwt", role: "ci", jwtFile: "token" };
    throw invalid(`expected a JSON object such as ${JSON.stringify(example)}`);
  }
  const names = Object.keys(members).map((member) => member.replace(places, ""));
  for (const [member, text] of Object.entries(members)) {
    const name = member.replace(places, "");
    // GitHub has a default audience.
    if (typeof text !== "string" || (text === "" && !member.endsWith("GithubAudience"))) {
      throw invalid(`\`${member}\` must be a string, and not empty`);
    }
    if (!/^[a-z]\w*$/i.test(name) || only?.test(name) === false) {
      throw invalid(`\`${member}\` is not a valid member`);
    }
    if (names.indexOf(name) !== names.lastIndexOf(name)) {
      throw invalid(`\`${name}\` is given more than once`);
    }
    const problem = name === member && inPath.has(name) ? problemIn(name, text) : undefined;
    if (problem !== undefined) {
      throw invalid(`\`${name}\` ${problem}`);
    }
  }
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw invalid(`\`${missing.join("` and `")}\` is missing`);
  }
  processRedactor.register(...secretsIn(value));
  return { source, members: members as Record<string, string>, environment, proxies };
}

const inPath = new Set(["path", "username"]);

/** Why a value cannot be a part of the path of a login. */
function problemIn(name: string, text: string): string | undefined {
  if (name === "username") {
    return problemInPath(text);
  }
  const mount = text.replace(/^\/+|\/+$/g, "");
  return /^auth\/|\/login$/.test(mount)
    ? `is the path of the mount alone, such as "jwt", without "auth/" and "/login"`
    : mount.split("/").map(problemInPath).find(Boolean);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where a login is, as the user wrote it: the path of its mount, or the name of its method. */
export function placeOfLogin(text: string): string {
  const members = jsonIn(text);
  const place = isObject(members) ? (members.path ?? members.method) : undefined;
  return typeof place === "string" ? place : "";
}

/** The secrets in a login as the user wrote it. */
export function secretsIn(text: string): string[] {
  const members = jsonIn(text);
  return isObject(members)
    ? Object.entries(members).flatMap(([member, value]) =>
        open.has(member) || places.test(member) || typeof value !== "string" ? [] : [value],
      )
    : [text];
}

/**
 * Reads the values of a login, from files, environment variables and GitHub too, and registers the secrets
 * for redaction.
 *
 * @throws ConfigurationError if one is missing or empty; TriviumError if GitHub does not tell the identity
 */
export async function valuesOf(service: ServiceName, login: Login): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [member, text] of Object.entries(login.members)) {
    const name = member.replace(places, "");
    const value = (await readValue(service, login, member, text)).trim();
    if (value === "") {
      throw unreadable(login, member, "is empty");
    }
    if (!open.has(name)) {
      processRedactor.register(value);
    }
    values[name] = value;
  }
  return values;
}

async function readValue(service: ServiceName, login: Login, member: string, text: string): Promise<string> {
  switch (places.exec(member)?.[0]) {
    case "File":
      return readFile(text, "utf8").catch((error: unknown) => {
        throw unreadable(login, member, `is not a readable file (${codeOf(error)})`);
      });
    case "Variable": {
      const value = login.environment[text];
      if (value === undefined) {
        throw unreadable(login, member, "names an environment variable that is not set");
      }
      return value;
    }
    case "GithubAudience": {
      const { githubIdentity } = require("./github") as typeof import("./github");
      return githubIdentity(service, text, login.environment, login.proxies);
    }
    default:
      return text;
  }
}

function unreadable({ source }: Login, member: string, problem: string): ConfigurationError {
  return new ConfigurationError(`Could not log in: \`${member}\` of the login from ${source} ${problem}.`);
}
