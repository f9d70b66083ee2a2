import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../base/errors";
import { isObject, toJson } from "../../base/json";
import { showable } from "../../base/shown-text";
import { systemRuntime } from "../../base/timing";
import { callEngine, internalsOf, mocks } from "../../engine/program";
import type { AnyResourceDefinition, InheritedState } from "../definition";
import { decodeEntry, definitionType, inBothAdapters, received } from "../state/encoding";
import type { Entry } from "../state/entry";

/** The entries by URN, with the types of the plugin. */
type Resources = ReadonlyMap<string, { readonly type: string; readonly entry: Entry }>;

/** By run, because a process can have several. */
const states = new WeakMap<object, Promise<Resources>>();

/** `undefined` under mocks, which have no state. */
function engine(): object | undefined {
  return mocks() === undefined ? pulumi.runtime.getMonitor() : undefined;
}

const prepared = new WeakSet();

/**
 * Registers the engine's own provider, which reads state. An update plan would fail if only the preview or
 * only the update registered it, so both do, even if they do not read state. The request is for the stack,
 * which the engine has at hand.
 */
export function prepareToRead(): void {
  const monitor = engine();
  if (monitor === undefined || prepared.has(monitor)) {
    return;
  }
  prepared.add(monitor);
  const [stack, project] = [pulumi.getStack(), pulumi.getProject()];
  const urn = `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`;
  // Whether it succeeds does not matter.
  pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn }).catch(() => undefined);
}

/** The contents of state, read once per run. */
export async function resourcesInState(): Promise<Resources> {
  const monitor = engine();
  if (monitor === undefined) {
    return new Map();
  }
  const state = states.get(monitor) ?? readState();
  states.set(monitor, state);
  return state;
}

/**
 * Pauses in milliseconds. A local backend cannot be read while the engine writes to it, which happens at the
 * same time.
 */
const waits = [100, 400, 1000, 2000];

async function readState(attempt = 0): Promise<Resources> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  try {
    const { outputs } = await callEngine("pulumi:pulumi:readStackResourceOutputs", { stackName });
    const resources = Object.entries(isObject(outputs) ? outputs : {}).flatMap(([urn, resource]) => {
      const { type: token, outputs: found } = isObject(resource) ? resource : {};
      if (!isObject(found)) {
        return [];
      }
      const { values, secrets } = received(found);
      const entry = decodeEntry(values);
      const type = inBothAdapters(typeof token === "string" ? token : "");
      return [[urn, { type, entry: { ...entry, secrets: [...entry.secrets, ...secrets] } }] as const];
    });
    return new Map(resources);
  } catch (error) {
    // A preview only needs the state to show more values, and the engine does not write it meanwhile.
    if (pulumi.runtime.isDryRun()) {
      return new Map();
    }
    const wait = waits[attempt];
    if (wait !== undefined) {
      await systemRuntime.sleep(wait);
      return readState(attempt + 1);
    }
    await pulumi.log.warn(
      showable(
        `The state of this stack cannot be read (${messageOf(error)}). ` +
          "A resource that was renamed without an alias starts without the data that the library stored under the former name.",
      ),
    );
    return new Map();
  }
}

/** @param urn the URN of a dynamic resource; state might have the plugin's */
export function entryAt(resources: Resources, urn: string): Entry | undefined {
  return (resources.get(urn) ?? resources.get(inBothAdapters(urn)))?.entry;
}

/** What a resource inherits from other entries in state, which its provider process does not see. */
export async function inheritedStates(
  { arguments: known, inherits, rotated }: AnyResourceDefinition,
  args: pulumi.Inputs,
  urn: string | Promise<string>,
): Promise<readonly InheritedState[]> {
  // A preview does not change anything, so it only needs what prevents an update.
  if (rotated === undefined && pulumi.runtime.isDryRun()) {
    return [];
  }
  const values = Object.keys(known).map(async (name) => {
    const value = await internalsOf<unknown>(pulumi.output(args[name])).promise();
    return [name, toJson(value) ?? null] as const;
  });
  const given = Object.fromEntries(await Promise.all(values));
  const resources = await resourcesInState();
  const all = new Map(
    [...resources].flatMap(([each, { type, entry }]) => {
      const { service: at, outputs, privateState, managed = {} } = entry;
      const own = { type: definitionType(type), outputs, privateState, managed: Object.keys(managed) };
      return at === undefined ? [] : [[each, { ...own, at }] as const];
    }),
  );
  const wanted = await urn;
  return inherits?.(given, [...all.values()], all.get(wanted) ?? all.get(inBothAdapters(wanted))) ?? [];
}
