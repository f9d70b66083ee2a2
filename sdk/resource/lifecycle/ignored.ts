import { TriviumError } from "../../base/errors";
import { type JsonObject, type JsonValue, namesWhere } from "../../base/json";
import { type DefinitionIn, isUsual, type RemoteObject, type Step } from "../definition";
import type { ArgumentDefinition } from "../fields/field";
import { argumentsIn } from "../state/entry";
import type { Comparison } from "./comparison";

// Older releases and other editions ignore arguments that they do not know.

export interface Program {
  readonly definition: DefinitionIn;
  readonly step: Step<never>;
  readonly args: JsonObject;
  /** In wire form. */
  readonly desired: Readonly<Record<string, unknown>>;
}

const unknownTo = (name: string, { since = "" }: ArgumentDefinition): string =>
  `the service does not know \`${name}\`, which requires ${since}`;

const without = ({ instead = "" }: ArgumentDefinition): string =>
  `Remove the argument and ${instead}, or upgrade the service.`;

/** Those of the arguments that, according to the service, requests do not have. */
async function unknown({ definition, step, desired }: Program, names: readonly string[]): Promise<string[]> {
  const known = names.length === 0 ? undefined : await definition.parameters?.(step, desired);
  return names.filter((name) => known?.has(definition.arguments[name]?.wire?.[0] ?? name) === false);
}

/** @throws TriviumError if the object could not be used, because the service ignores one of these arguments */
export async function requireKnown(program: Program, names: ReadonlySet<string>): Promise<void> {
  const { definition, args } = program;
  const needed = namesWhere(
    definition.arguments,
    (argument, name) =>
      argument.instead !== undefined && names.has(name) && !isUsual(argument, args[name] ?? null, args),
  );
  const [name = ""] = await unknown(program, needed);
  const argument = definition.arguments[name];
  if (argument !== undefined) {
    const advice = without(argument);
    throw new TriviumError(`${definition.type}: ${unknownTo(name, argument)}. Nothing was changed.`, {
      advice,
    });
  }
}

/**
 * Warns about arguments that were ignored; it is a failure if the object cannot be used without one. State then
 * contains null, unless that would be a change.
 */
export async function withoutIgnored<Sent extends RemoteObject>(
  program: Program & { readonly comparison: Comparison },
  sent: Sent,
): Promise<Sent> {
  const { definition, step, args, comparison, desired } = program;
  const { id, state, failure } = sent;
  if (failure !== undefined) {
    return sent;
  }
  const others = state as JsonObject;
  const recent = argumentsIn(definition, args).filter(
    ([name, argument]) =>
      argument.since !== undefined && !isUsual(argument, (desired[name] ?? null) as JsonValue, others),
  );
  const namesOf = (isMeant: (argument: ArgumentDefinition, name: string) => boolean): string[] =>
    recent.filter(([name, argument]) => isMeant(argument, name)).map(([name]) => name);
  const untold = namesOf(({ told }, name) => told === "never" && comparison.changed.has(name));
  const unset = namesOf(
    (argument, name) =>
      argument.told !== "never" && isUsual(argument, (state[name] ?? null) as JsonValue, others),
  );
  const ignored = [...unset, ...(await unknown(program, untold))];
  for (const name of ignored.filter((each) => comparison.changed.has(each))) {
    step.announce(
      "warning",
      `${definition.type} ${id}: the service ignored \`${name}\`, which requires ${definition.arguments[name]?.since}. Remove ` +
        "the argument, or upgrade the service. The argument is sent again when you change its value.",
    );
  }
  const absent = unset.filter(
    (name) => state[name] === undefined && definition.arguments[name]?.secret !== true,
  );
  const needed = recent.find(([name, { instead }]) => instead !== undefined && ignored.includes(name));
  return {
    ...sent,
    state: { ...Object.fromEntries(absent.map((name) => [name, null])), ...state },
    ...(needed && {
      failure: `${definition.type} ${id} was written, but ${unknownTo(...needed)}, so it cannot be used. ${without(needed[1])}`,
    }),
  };
}
