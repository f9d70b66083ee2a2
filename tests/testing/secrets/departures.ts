import type { Recording } from "./recordings";

/** How an answer of the emulator differs from the recorded one, and why. */
export interface Departure {
  /** Only in the wording of an error, or in anything. */
  readonly in: "wording" | "anything";
  readonly why: string;
}

/** By the note of the recording, with its path where that is not enough. */
export type Departures = ReadonlyMap<string, Departure>;

export function departureOf(departures: Departures, { note, request }: Recording): Departure | undefined {
  return departures.get(note) ?? departures.get(`${note}: ${request.path}`);
}

const words = (why: string): Departure => ({ in: "wording", why });
const all = (why: string): Departure => ({ in: "anything", why });

const period = words("the emulator says what would have been a duration");
const ldif = words("the recorded server counts a line more than there are");
const ttl = words("the recorded server takes nanoseconds for seconds");
const push = "the recorded edition has no push methods";

/** Where the hashicorp dialect departs. */
export const hashicorpDepartures: Departures = new Map([
  ["create totp, period words", period],
  ["documented push path on this edition", all(push)],
  ["bad ldif", ldif],
  ["ttl above max", ttl],
]);

const emptyList = all("the documents have a list there, if an empty one");

/** Where the documented dialect departs: where the documents say something else, or real servers behave badly. */
export const documentedDepartures: Departures = new Map([
  ["create totp, period words", period],
  ["static role without config", all("the recorded server breaks down")],
  ["second alias of one entity on one mount", all("the documents do not forbid it")],
  ["list aliases", all("with the second alias of one entity")],
  ["LIST static roles", all("names keep their case")],
  ["config without bindpass", words("the emulator says what is required")],
  ["bad schema", words("the documents have other names for the schemas")],
  ["unknown key", all("the emulator is strict")],
  ["list static roles, none", all("documented as a plain GET")],
  ["LIST static roles, none", all("documented as a plain GET")],
  ["list aliases, none", emptyList],
  ["list by query, none", emptyList],
  ["list totp, none", emptyList],
  ["list sets, none", emptyList],
  ["identical create", all("the documents have the alias in every answer")],
  ["update by id: same again", all("the documents have the alias in every answer")],
  ["create totp, period 0", all("the documents do not forbid it")],
  ["create totp, key_size 0", all("the documents do not forbid it")],
  ["static-cred never rotated", all("the documents say that the password cannot be returned")],
  ["skip_import_rotation on update", all("the documents do not forbid it")],
  ["same user twice", all("the documents do not forbid it")],
  ["empty dn", all("the documents say that the name cannot be changed; the recorded server unsets it")],
  ["delete missing: /ldap2/static-role/none", all("the recorded server fails when it has no static role")],
  ["bad ldif", ldif],
  ["LIST roles: /ldap2/role", all("not in the documents")],
  ["check out with name in the body", all("the documents require the name; the recorded server warns")],
  ["remove a checked-out account", words("the recorded text ends with a stray quotation mark")],
  ["delete with check-outs", words("the recorded text ends with a stray quotation mark")],
  ["ttl above max", all("the documents do not forbid it")],
  ["client role without policies", all("the documents do not forbid it")],
  ["to management, policies kept", all("the documents do not forbid it")],
  ["access with cert but no key", all("the documents want both")],
]);
