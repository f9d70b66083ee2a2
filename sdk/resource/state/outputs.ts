import type { AnyResourceDefinition, RemoteState } from "../definition";
import { type JsonObject, type JsonValue, toJson } from "../../base/json";
import { hiddenInputsOf, hiddenKeys, managesAll } from "./hidden";
import { type Managed, storedManaged } from "./managed";
import { wrapSecret, textsWithin } from "./secret";
import { processRedactor } from "../../base/redactor";

export function missingOutputs(definition: AnyResourceDefinition, values: RemoteState): readonly string[] {
  return Object.entries(definition.outputs)
    .filter(([name, output]) => output.optional !== true && values[name] === undefined)
    .map(([name]) => name);
}

export function missingFields(definition: AnyResourceDefinition, values: RemoteState): readonly string[] {
  return Object.entries(definition.arguments)
    .filter(
      ([name, argument]) =>
        (argument.role ?? "remote") === "remote" && argument.writeOnly !== true && values[name] === undefined,
    )
    .map(([name]) => name);
}

/** Missing fields keep their former values (`before`). `applied` has the values that the service never returns. */
export function composeOutputs(
  definition: AnyResourceDefinition,
  state: RemoteState,
  applied: JsonObject,
  before: JsonObject,
): Record<string, JsonValue> {
  const outputs: Record<string, JsonValue> = {};
  const set = (name: string, ...sources: JsonObject[]): void => {
    const source = sources.find((values) => Object.hasOwn(values, name));
    if (source?.[name] !== undefined) {
      outputs[name] = source[name];
    }
  };
  const current = currentFields(state);
  for (const [name, argument] of Object.entries(definition.arguments)) {
    if (argument.role === "behaviour" || argument.writeOnly === true) {
      set(name, applied, before);
    } else if (argument.role !== "creation") {
      set(name, current, applied, before);
    }
  }
  for (const name of Object.keys(definition.outputs)) {
    set(name, current, before);
  }
  return outputs;
}

function currentFields(state: RemoteState): JsonObject {
  const known = Object.entries(state).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, toJson(value) ?? null]));
}

export function withMetadata(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  metadata: {
    readonly managed: Managed;
    readonly at: string;
    readonly memory: JsonObject;
    readonly generation?: string | undefined;
    /** Inputs, or outputs in state: both contain the hidden inputs. */
    readonly entry: JsonObject;
  },
): JsonObject {
  const { at, memory, generation, entry } = metadata;
  const managed = storedManaged(definition, metadata.managed, outputs);
  return {
    ...outputs,
    ...hiddenInputsOf(entry),
    ...(managed === managesAll
      ? { [hiddenKeys.at]: managesAll + at }
      : { [hiddenKeys.managed]: managed, [hiddenKeys.at]: at }),
    ...(Object.keys(memory).length === 0 ? {} : { [hiddenKeys.memory]: memory }),
    ...(generation === undefined ? {} : { [hiddenKeys.generation]: generation }),
  };
}

/** The provider receives all values in clear text and would otherwise return the program's secrets unmarked. */
export function withMarkedSecrets(
  definition: AnyResourceDefinition,
  values: JsonObject,
): AnyResourceDefinition {
  const marked = markedSecrets(values).filter((name) => name in definition.arguments);
  return marked.length === 0
    ? definition
    : {
        ...definition,
        arguments: {
          ...definition.arguments,
          ...Object.fromEntries(
            marked.map((name) => [name, { ...definition.arguments[name], secret: true }]),
          ),
        },
      };
}

function markedSecrets(values: JsonObject): string[] {
  const marked = values[hiddenKeys.secrets];
  return Array.isArray(marked) ? marked.filter((name) => typeof name === "string") : [];
}

export function wrapSecrets(
  definition: AnyResourceDefinition,
  values: JsonObject,
): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const secret = definition.arguments[name]?.secret ?? definition.outputs[name]?.secret ?? false;
      return [name, secret && value !== null ? wrapSecret(value) : value];
    }),
  );
}

export function secretNames(definition: AnyResourceDefinition): string[] {
  return [...Object.entries(definition.arguments), ...Object.entries(definition.outputs)]
    .filter(([, field]) => field.secret === true)
    .map(([name]) => name);
}

/** For redaction. */
export function rememberSecrets(definition: AnyResourceDefinition, values: RemoteState): void {
  for (const name of secretNames(definition)) {
    if (definition.outputs[name]?.commonWords !== true) {
      processRedactor.register(...textsWithin(values[name]));
    }
  }
}
