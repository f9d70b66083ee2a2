import * as pulumi from "@pulumi/pulumi";
import { messageOf } from "../../base/errors";
import { isObject, type JsonObject } from "../../base/json";
import { showable } from "../../base/shown-text";
import { systemRuntime } from "../../base/timing";
import { internalsOf, mocks } from "../../engine/program";
import type { AnyResourceDefinition } from "../definition";
import { decodeEntry, pluginToken, typeToken } from "../state/encoding";
import type { InheritedState } from "../state/entry";

type Resources = Readonly<Record<string, { readonly type?: unknown; readonly outputs?: unknown }>>;

/** By run: a process may have several. */
const states = new WeakMap<object, Promise<Resources>>();

/** `undefined` under mocks, which have no state. */
function engine(): object | undefined {
  return mocks() === undefined ? pulumi.runtime.getMonitor() : undefined;
}

const prepared = new WeakSet();

/**
 * Registers the engine's own provider, which reads state. If only the preview registered it, or only the update, an
 * update plan would fail: so both do, whether they read state or not. It asks for the stack, which the engine has at hand.
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

/** The resources in state by URN, read once per run. */
export async function resourcesInState(): Promise<Resources> {
  const monitor = engine();
  if (monitor === undefined) {
    return {};
  }
  const state = states.get(monitor) ?? readState();
  states.set(monitor, state);
  return state;
}

/** Milliseconds. A local backend cannot be read while the engine writes it, which it does at the same time. */
const waits = [100, 400, 1000, 2000];

async function readState(attempt = 0): Promise<Resources> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  try {
    const { outputs } = (await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {
      stackName,
    })) as { readonly outputs?: unknown };
    return isObject(outputs) ? (outputs as Resources) : {};
  } catch (error) {
    // A preview needs the state only to show more values, and the engine writes none meanwhile.
    if (pulumi.runtime.isDryRun()) {
      return {};
    }
    const wait = waits[attempt];
    if (wait !== undefined) {
      await systemRuntime.sleep(wait);
      return readState(attempt + 1);
    }
    await pulumi.log.warn(
      showable(
        `The state of this stack cannot be read (${messageOf(error)}). ` +
          "A resource that was renamed without an alias starts without the data that the library stored for the former name.",
      ),
    );
    return {};
  }
}

/** For a renamed resource: its provider treats it as new and does not see the former entry in state. */
export async function inheritedStates(
  definition: AnyResourceDefinition,
  args: pulumi.Inputs,
  urns: readonly Promise<string>[],
): Promise<readonly InheritedState[]> {
  const { identity, inherits, type: ownType } = definition;
  const other = typeof inherits === "object" ? inherits : undefined;
  // A preview changes nothing, so it only needs what prevents an update.
  if (other === undefined && pulumi.runtime.isDryRun()) {
    return [];
  }
  const valueOf = (name: string) => internalsOf<unknown>(pulumi.output(args[name])).promise();
  const names = identity?.arguments ?? [];
  const values = await Promise.all(names.map(valueOf));
  const resources = await resourcesInState();
  const ownUrn = (await Promise.all(urns)).find((urn) => Object.hasOwn(resources, urn));
  const own = { ...(resources[ownUrn ?? ""]?.outputs as JsonObject | undefined) };
  const isObsolete = other !== undefined && own[other.obsolete] === (await valueOf(other.obsolete));
  const source = other?.type ?? ownType;
  const tokens = [typeToken(source), pluginToken(source)];
  return Object.values(resources).flatMap(({ type, outputs }) => {
    if (typeof type !== "string" || !tokens.includes(type) || !isObject(outputs)) {
      return [];
    }
    const { service: at, privateState, managed = {} } = decodeEntry(outputs as JsonObject);
    const isOwn = names.every((name, index) => outputs[name] === (values[index] ?? other?.defaults[name]));
    const obsolete =
      isObsolete && decodeEntry(own).service === at && names.every((name) => outputs[name] === own[name]);
    if (at === undefined || !(isOwn || obsolete)) {
      return [];
    }
    return other === undefined
      ? [{ at, privateState, managed: Object.keys(managed) }]
      : [{ at, privateState: {}, managed: [], ...(obsolete ? { obsolete } : {}) }];
  });
}
