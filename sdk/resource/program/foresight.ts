import * as pulumi from "@pulumi/pulumi";
import { isUnknown, unknown } from "@pulumi/pulumi/output";
import { isObject, type JsonObject, type JsonValue } from "../../base/json";
import { parseDuration } from "../../base/timing";
import type { Dialect } from "../../base/settings";
import { anyResourceToken, programSources, sourcesOf } from "../../connection/program";
import { internalsOf, type OutputInternals, replaceOutputs } from "../../engine/program";
import { Provider } from "../../connection/provider";
import { findDialect } from "../../connection/sources";
import { duration } from "../fields/kinds";
import { type AnyResourceDefinition, inDialect, outputNames } from "../definition";
import { type Entry, unknown as notKnown, withMarkedSecrets } from "../state/entry";
import { resourcesInState } from "./own-state";
import { foreseenOutputs, staysAbsent } from "../lifecycle/comparison";
import { decodeEntry, pluginToken, typeToken } from "../state/encoding";

interface Planned {
  readonly resource: pulumi.CustomResource;
  readonly definition: AnyResourceDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  /** By the engine. */
  readonly returned: Readonly<Record<string, OutputInternals<JsonValue | undefined>>>;
}

interface Foresight {
  readonly definition: AnyResourceDefinition;
  readonly args: JsonObject;
  /** In state, if it is managed there. */
  readonly entry: Entry | undefined;
  readonly outputs: JsonObject;
}

/**
 * The engine does not ask a dynamic provider for a preview: it returns the inputs, and all other outputs are unknown.
 * So the program derives them from its arguments and the state, once an output is used.
 */
export function foresee(
  resource: pulumi.CustomResource,
  definition: AnyResourceDefinition,
  args: Readonly<Record<string, unknown>>,
): void {
  let foresight: Promise<Foresight> | undefined;
  const returned = replaceOutputs<JsonValue | undefined>(
    resource,
    outputNames(definition),
    async (name, value) => {
      foresight ??= foresightOf({ resource, definition, args, returned });
      return valueIn(await foresight, name, value);
    },
  );
}

function valueIn({ definition, args, entry, outputs }: Foresight, name: string, returned: unknown): unknown {
  if (!outputNames(definition).includes(name)) {
    return undefined;
  }
  const foreseen = outputs[name];
  const isCleared = (returned ?? null) === null && (entry?.outputs[name] ?? null) !== null;
  const isOpen = isUnknown(returned) || isCleared;
  if (foreseen === notKnown) {
    return isOpen ? unknown : returned;
  }
  if (foreseen === undefined || !(isOpen || Object.hasOwn(args, name))) {
    return returned;
  }
  const isSecret = (definition.arguments[name] ?? definition.outputs[name])?.secret === true;
  return isSecret && !(foreseen === null && staysAbsent({ args, entry }, name))
    ? pulumi.secret<unknown>(foreseen)
    : foreseen;
}

async function foresightOf(planned: Planned): Promise<Foresight> {
  const { id, urn } = planned.resource;
  const dialect = await dialectFor(planned);
  const plain = planned.definition;
  const definition = dialect === undefined ? plain : inDialect(plain, dialect);
  const isCreation = !(await internalsOf(id).isKnown);
  const entry = isCreation ? undefined : await entryOf(plain, await internalsOf(urn).promise());
  const args = await argumentsOf(planned, entry?.outputs);
  const sent = (name: string, value: JsonValue): JsonValue | undefined =>
    definition.arguments[name]?.canonical === duration ? parseDuration(value) : value;
  const outputs = foreseenOutputs(definition, { dialect, args, entry, sent });
  const isDefault = ([name]: [string, unknown]): boolean => definition.arguments[name]?.default !== undefined;
  return {
    definition: withMarkedSecrets(definition, entry?.secrets ?? []),
    args,
    entry,
    // Without the state of an existing object, only defaults are known.
    outputs:
      isCreation || entry !== undefined
        ? outputs
        : Object.fromEntries(Object.entries(outputs).filter(isDefault)),
  };
}

/** `undefined` if there are none, or if they do not record the managed arguments. */
async function entryOf({ type }: AnyResourceDefinition, urn: string): Promise<Entry | undefined> {
  const resources = await resourcesInState();
  const { outputs } = resources[urn] ?? resources[urn.replace(typeToken(type), pluginToken(type))] ?? {};
  const entry = isObject(outputs) ? decodeEntry(outputs as JsonObject) : undefined;
  return entry?.managed === undefined ? undefined : entry;
}

/** The arguments as check returns them: null for an argument that was removed from the program. */
async function argumentsOf(
  { definition, args, returned }: Planned,
  former: JsonObject | undefined,
): Promise<JsonObject> {
  const inputs = Object.keys(definition.arguments).map(async (name) => {
    const output = returned[name];
    const isGiven = (args[name] ?? undefined) !== undefined;
    if (output === undefined || !(await output.isKnown)) {
      return isGiven ? [[name, notKnown] as const] : [];
    }
    const value = (await output.promise()) ?? null;
    const isCleared = value === null && (former?.[name] ?? null) !== null;
    return isCleared || (isGiven && value !== null) ? [[name, value] as const] : [];
  });
  return Object.fromEntries((await Promise.all(inputs)).flat());
}

async function dialectFor({ resource, definition }: Planned): Promise<Dialect | undefined> {
  const provider = resource.getProvider(anyResourceToken());
  if (provider === undefined) {
    return findDialect(programSources(), definition.service.name);
  }
  const settings = Provider.isInstance(provider) ? internalsOf(provider.settings) : undefined;
  return settings !== undefined && (await settings.isKnown)
    ? findDialect(sourcesOf(await settings.promise()), definition.service.name)
    : undefined;
}
