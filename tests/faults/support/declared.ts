import type { Emulator } from "pulumi-trivium/testing";
import { given, replacementOf, updateOf } from "../../cases/support/arguments";
import type { ResourceCase } from "../../cases/support/case";
import { worldOn } from "../../cases/support/emulated-world";
import type { WorldSurroundings } from "../../cases/support/world";
import type { Receiver } from "../../engine/support/receiver";
import type { Properties } from "../../support/provider-process";
import { definitions } from "./one-resource-stack";

/** What the program says. */
export interface Declared {
  /** The arguments with which the resource is made. */
  readonly made: Properties;
  /** The arguments after a change of which a service gets to know. */
  readonly changed: Properties;
}

/**
 * Sets up what a class needs.
 *
 * @param mark part of every name, and another one in each run, as a process remembers what it was asked about
 */
export async function declaredIn(
  emulator: Emulator,
  receiver: Receiver,
  resourceCase: ResourceCase,
  mark: string,
): Promise<Declared> {
  const surroundings = await resourceCase.prepare(
    worldOn(emulator, { dialect: "documented", mark, receiver }),
  );
  await resourceCase.populate?.(emulator, surroundings);
  emulator.journal.clear();
  return declaredOf(resourceCase, surroundings);
}

/** What the program says in surroundings that are ready. */
export function declaredOf(resourceCase: ResourceCase, surroundings: WorldSurroundings): Declared {
  const definition = definitions.get(resourceCase.type);
  const change = definition && (updateOf(resourceCase, definition) ?? replacementOf(resourceCase));
  const made = given({ ...resourceCase.valid(surroundings), ...resourceCase.whenFailing }) as Properties;
  return { made, changed: given({ ...made, ...change?.(surroundings) }) as Properties };
}
