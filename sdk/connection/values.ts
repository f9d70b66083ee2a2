import { ConfigurationError } from "../base/errors";
import { type Dialect, isProduct, type ServiceName, type Setting } from "../base/settings";
import { longestTimer, parseDuration } from "../base/timing";
import { headerText } from "../http/transport";
import { type Found, objectIn } from "./sources";

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

const largestNumber = 2 ** 31 - 1;

/** Shells and files keep quotation marks that were copied from elsewhere. */
export function unquoted(found: Found): Found {
  if (/^\s*["'“”‘’]/.test(found.value)) {
    throw unusable(found, "begins with a quotation mark", "Remove the quotation marks.");
  }
  return found;
}

export function headersOf(found: Found): Readonly<Record<string, string>> {
  const headers = Object.entries(objectIn(found.value) ?? { "": undefined });
  if (!headers.every((header): header is [string, string] => typeof header[1] === "string")) {
    throw unusable(found, 'is not a JSON object of strings such as {"X-Team": "platform"}');
  }
  const invalid = headers.find(([name, value]) => !headerName.test(name) || !headerText.test(value));
  if (invalid !== undefined) {
    throw unusable(found, `has the header ${JSON.stringify(invalid[0])}, whose name or value is not valid`);
  }
  return Object.fromEntries(headers);
}

const rootNamespaces: Readonly<Partial<Record<ServiceName, string>>> = {
  secrets: "root",
  scheduler: "default",
};

/** Slashes around a namespace do not matter, and the products use a name for the root namespace. */
export function namespaceIn(text: string, service: ServiceName, dialect: Dialect): string | undefined {
  const name = withoutSlashes(text);
  return name === "" || (isProduct[dialect] && name === rootNamespaces[service]) ? undefined : name;
}

export function namespaceOf(found: Found, service: ServiceName, dialect: Dialect): string | undefined {
  if (!headerText.test(found.value)) {
    throw unusable(found, "contains a line break or another character that is not allowed in a header");
  }
  return namespaceIn(found.value, service, dialect);
}

/** Namespaces are paths: `team` and `team/` are the same. */
export function withoutSlashes(namespace: string): string {
  return namespace.trim().replace(/^\/+|\/+$/g, "");
}

export function booleanOf(found: Found): boolean {
  if (!/^(?:true|t|1|false|f|0)$/i.test(found.value)) {
    throw unusable(found, "must be true or false");
  }
  return /^[t1]/i.test(found.value);
}

export function millisecondsOf(found: Found): number {
  const seconds = parseDuration(found.value);
  if (seconds === undefined || seconds === 0) {
    throw unusable(found, 'is not a duration such as "30s"');
  }
  // Timers use whole milliseconds, and decimal fractions have rounding errors.
  const milliseconds = Math.max(1, Math.round(seconds * 1000));
  if (milliseconds > longestTimer) {
    throw unusable(found, "must not exceed 24 days");
  }
  return milliseconds;
}

export function countOf(found: Found, { least = 0 }: Setting): number {
  const count = /^\d+$/.test(found.value.trim()) ? Number(found.value) : Number.NaN;
  if (!(count >= least && count <= largestNumber)) {
    throw unusable(found, `must be a whole number of at least ${least}`);
  }
  return count;
}

/** Never repeats the value, which might be a secret. */
export function unusable(found: Found | undefined, problem: string, advice?: string): ConfigurationError {
  const source = found?.source ?? "the configuration";
  const subject = source.charAt(0).toUpperCase() + source.slice(1);
  return new ConfigurationError(`${subject} ${problem}.`, { advice });
}
