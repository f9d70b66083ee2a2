import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import type { OutputDefinition } from "../../sdk/resource/fields/resolution";
import { textsWithin } from "../../sdk/resource/state/entry";
import type { Properties } from "./provider-process";

/** @returns the names of secret outputs that the service issues once, and no update changes */
export function issuedIn(outputs: Readonly<Record<string, OutputDefinition>>): readonly string[] {
  return Object.entries(outputs)
    .filter(([, { secret, recomputedBy }]) => secret === true && recomputedBy === undefined)
    .map(([name]) => name);
}

/**
 * Asserts that state has a secret that the service still has, which a refresh cannot see.
 *
 * @param issued the names of outputs that the service issues and no response shows again
 */
export function assertIssued(
  emulator: Emulator,
  issued: readonly string[],
  id: string | undefined,
  outputs: Properties,
): void {
  const [secrets = "", others = ""] = [true, false].map((isSecret) =>
    JSON.stringify(Object.entries(outputs).filter(([name]) => issued.includes(name) === isSecret)),
  );
  const isAlive = (text: string): boolean =>
    text.length >= 16 && secrets.includes(text) && !`${id} ${others}`.includes(text);
  assert.ok(issued.length === 0 || textsWithin(emulator.inspect()).some(isAlive), issued.join());
}
