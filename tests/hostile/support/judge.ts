import { strict as assert } from "node:assert";
import { textsWithin } from "../../../sdk/resource/secret";
import type { Exchange } from "../../support/proxy";
import { canaries } from "./scene";

const longestMessage = 2_000;

/** Words of a program that did not expect what it met. */
const bewildered =
  /unexpectedly|TypeError|RangeError|SyntaxError|Cannot read|is not a function|\[object |undefined/;

const namesRequest = /\b(GET|POST|PATCH|PUT|DELETE) (https?:\/\/|\/)\S+/;

/** What answers mean that say nothing: the documents have them, so that they cannot be told from garbage. */
const saysWhatIsMeant =
  /already\b|There is no |does not exist|no longer exists|without naming it|returned 404 for|no longer names the borrower|is free: it has no accounts|has no (?:access|directory|lease) configuration/;

/** What is wrong with an error that a person will see; nothing when it is as it should be. */
export function complaintsAbout(message: string, secrets: readonly string[]): string[] {
  return [
    ...(message.length > longestMessage ? [`it has ${message.length} characters`] : []),
    ...(bewildered.test(message) ? ["it was not expected"] : []),
    ...(namesRequest.test(message) || saysWhatIsMeant.test(message) ? [] : ["it names no request"]),
    ...secrets.filter((secret) => message.includes(secret)).map((secret) => `it holds the secret ${secret}`),
  ].map((complaint) => `${complaint}: ${message.slice(0, 500)}`);
}

/** Whether the message about a member that is wrong names it, something around it or something in it. */
export function namesPlace(message: string, at: string): boolean {
  const named = /Unexpected response to [^:]+(?::\/\/[^ ]+)?: (?:([\w-]+(?:[.[][^:\s]*)?): )?/.exec(
    message,
  )?.[1];
  const [here, there] = [at, named ?? ""].map((place) => place.replace(/[0-9a-f-]{36}/g, "<id>"));
  return here === undefined || there === undefined || here.includes(there) || there.includes(here);
}

/** Every secret of a run: the canaries, and what the service has issued. */
export function secretsOf(exchanges: readonly Exchange[], given: readonly string[] = []): string[] {
  const issued = exchanges.flatMap(({ response }) =>
    /^[[{]/.test(response) ? secretsIn(JSON.parse(response)) : [],
  );
  return [...Object.values(canaries), ...given, ...issued].filter((secret) => secret.length >= 6);
}

const secretMembers =
  /^(?:password|last_password|secret_id|barcode|secret_key|integration_key|delivery-responses)$/;

function secretsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(secretsIn);
  }
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, item]) =>
    secretMembers.test(name) ? textsWithin(item) : secretsIn(item),
  );
}

/** No name in an answer may reach what all objects inherit. */
export function assertUnpolluted(): void {
  const inherited = Object.getPrototypeOf({}) as object;
  assert.ok(!("polluted" in inherited), "an answer has changed what all objects inherit");
}
