import { resourceCases } from "../../cases";
import { allArguments, given, updateOf } from "../../cases/support/arguments";
import type { ResourceCase, Values } from "../../cases/support/case";
import { worldOn } from "../../cases/support/emulated-world";
import type { WorldSurroundings } from "../../cases/support/world";
import type { Receiver } from "../../engine/support/receiver";
import type { Emulator } from "../../../sdk/testing";
import { definitions } from "./library";

/** The classes whose services respond to requests, each with its type; the others listen to a stream. */
export const respondingCases: readonly (readonly [string, ResourceCase])[] = [...resourceCases].filter(
  ([, { stream = false }]) => !stream,
);

/** What a resource needs, and what its program says. */
export interface Stage {
  /** Arguments with which it is created: as many as go together. */
  readonly valid: Values;
  /** What an update changes; none where every change replaces or makes no request. */
  readonly change: Values | undefined;
  /** Every text of the surroundings, by where it stands in them: names and ids that are never the same twice. */
  readonly texts: ReadonlyMap<string, string>;
}

let stages = 0;

/** Sets up in an emulator what a class needs, under names that are never used twice. */
export async function addStage(
  emulator: Emulator,
  receiver: Receiver,
  resourceCase: ResourceCase,
): Promise<Stage> {
  const mark = `stage${++stages}q`;
  const surroundings = await resourceCase.prepare(
    worldOn(emulator, { dialect: "documented", mark, receiver }),
  );
  await resourceCase.populate?.(emulator, surroundings);
  emulator.journal.clear();
  const { world, emulator: itself, connection, ...others } = surroundings;
  return {
    valid: given({ ...allArguments(resourceCase, surroundings), ...resourceCase.whenFailing }),
    change: changeOf(resourceCase)?.(surroundings),
    texts: new Map(textsIn(others, "")),
  };
}

/** The same in an emulator that is put back to the start. */
export function newStage(emulator: Emulator, receiver: Receiver, resourceCase: ResourceCase): Promise<Stage> {
  emulator.reset();
  return addStage(emulator, receiver, resourceCase);
}

/** Whether a class has updates in place of which a service gets to know. */
export function changeOf(
  resourceCase: ResourceCase,
): ((surroundings: WorldSurroundings) => Values) | undefined {
  const definition = definitions.get(resourceCase.type);
  return definition && updateOf(resourceCase, definition);
}

function textsIn(value: unknown, at: string): [string, string][] {
  if (typeof value === "string") {
    return value === "" ? [] : [[at, value]];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${at}-${name}`))
    : [];
}
