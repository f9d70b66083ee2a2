import * as pulumi from "@pulumi/pulumi";
import { isUnknown, unknown } from "@pulumi/pulumi/output";
import { isObject, type JsonObject, type JsonValue } from "../../base/json";
import { parseDuration } from "../../base/timing";
import type { Dialect } from "../../base/settings";
import {
  anyResourceToken,
  internalsOf,
  type OutputInternals,
  programSources,
  sourcesOf,
} from "../../connection/program";
import { Provider } from "../../connection/provider";
import { findDialect } from "../../connection/sources";
import { duration } from "../fields/kinds";
import { type AnyResourceDefinition, inDialect, outputNames } from "../definition";
import { managedOf, withMarkedSecrets } from "../state/outputs";
import { resourcesInState } from "./own-state";
import { foreseenOutputs } from "../lifecycle/comparison";
import { pluginToken, typeToken, unknownValue } from "../state/protocol";

// The SDK does not expose `apply` on unknown values.
interface Internals<Value = JsonValue | undefined> extends OutputInternals<Value> {
  apply(work: (value: unknown) => unknown, runsWithUnknowns: true): pulumi.Output<unknown>;
}

interface Planned {
  readonly resource: pulumi.CustomResource;
  readonly definition: AnyResourceDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  /** By the engine. */
  readonly returned: Readonly<Record<string, Internals>>;
}

interface Foresight {
  readonly definition: AnyResourceDefinition;
  readonly inputs: JsonObject;
  /** The outputs in state, if any. */
  readonly former: JsonObject | undefined;
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
  const names = outputNames(definition);
  const members = Object.entries(resource as unknown as Readonly<Record<string, Internals>>);
  const returned = Object.fromEntries(members.filter(([name]) => names.includes(name)));
  let foresight: Promise<Foresight> | undefined;
  for (const [name, output] of Object.entries(returned)) {
    let shown: pulumi.Output<unknown> | undefined;
    const work = async (value: unknown): Promise<unknown> => {
      foresight ??= foresightOf({ resource, definition, args, returned });
      return valueIn(await foresight, name, value);
    };
    Object.defineProperty(resource, name, {
      enumerable: true,
      configurable: true,
      get: () => (shown ??= output.apply(work, true)),
    });
  }
}

function valueIn(
  { definition, inputs, former, outputs }: Foresight,
  name: string,
  returned: unknown,
): unknown {
  const foreseen = outputs[name];
  const isCleared = (returned ?? null) === null && (former?.[name] ?? null) !== null;
  const isOpen = isUnknown(returned) || isCleared;
  if (foreseen === unknownValue) {
    return isOpen ? unknown : returned;
  }
  if (foreseen === undefined || !(isOpen || Object.hasOwn(inputs, name))) {
    return returned;
  }
  const isSecret = (definition.arguments[name] ?? definition.outputs[name])?.secret === true;
  return isSecret ? pulumi.secret<unknown>(foreseen) : foreseen;
}

async function foresightOf(planned: Planned): Promise<Foresight> {
  const { id, urn } = planned.resource as unknown as Readonly<Record<"id" | "urn", Internals<string>>>;
  const dialect = await dialectFor(planned);
  const plain = planned.definition;
  const definition = dialect === undefined ? plain : inDialect(plain, dialect);
  const isCreation = !(await id.isKnown);
  const former = isCreation ? undefined : await formerOutputs(plain, await urn.promise());
  const inputs = await inputsOf(planned, former);
  const sent = (name: string, value: JsonValue): JsonValue | undefined =>
    definition.arguments[name]?.canonical === duration ? parseDuration(value) : value;
  const outputs = foreseenOutputs(definition, { dialect, inputs, former, sent });
  const isDefault = ([name]: [string, unknown]): boolean => definition.arguments[name]?.default !== undefined;
  return {
    definition: former === undefined ? definition : withMarkedSecrets(definition, former),
    inputs,
    former,
    // Without the state of an existing object, only defaults are known.
    outputs:
      isCreation || former !== undefined
        ? outputs
        : Object.fromEntries(Object.entries(outputs).filter(isDefault)),
  };
}

/** `undefined` if there are none, or if they do not record the managed arguments. */
async function formerOutputs(
  definition: AnyResourceDefinition,
  urn: string,
): Promise<JsonObject | undefined> {
  const { type } = definition;
  const resources = await resourcesInState();
  const found = resources[urn] ?? resources[urn.replace(typeToken(type), pluginToken(type))];
  const outputs = found?.outputs as JsonObject | undefined;
  return isObject(outputs) && managedOf(definition, outputs) !== undefined ? outputs : undefined;
}

/** The inputs as check returns them: null for an argument that was removed from the program. */
async function inputsOf(
  { definition, args, returned }: Planned,
  former: JsonObject | undefined,
): Promise<JsonObject> {
  const inputs = Object.keys(definition.arguments).map(async (name) => {
    const output = returned[name];
    const isGiven = (args[name] ?? undefined) !== undefined;
    if (output === undefined || !(await output.isKnown)) {
      return isGiven ? [[name, unknownValue] as const] : [];
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
