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

/** The resources in state by URN, read once per run. Under mocks, there are none. */
export async function resourcesInState(): Promise<Resources> {
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined || mocks() !== undefined) {
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
): Promise<readonly InheritedState[]> {
  // A preview changes nothing, so it does not need them.
  if (pulumi.runtime.isDryRun()) {
    return [];
  }
  const { arguments: names = [] } = definition.identity ?? {};
  const identity = await Promise.all(
    names.map((name) => internalsOf<unknown>(pulumi.output(args[name])).promise()),
  );
  const other = typeof definition.inherits === "object" ? definition.inherits : undefined;
  const source = other?.type ?? definition.type;
  const tokens = [typeToken(source), pluginToken(source)];
  return Object.values(await resourcesInState()).flatMap(({ type, outputs }) => {
    if (
      typeof type !== "string" ||
      !tokens.includes(type) ||
      !isObject(outputs) ||
      names.some((name, index) => outputs[name] !== (identity[index] ?? other?.defaults[name]))
    ) {
      return [];
    }
    const { service: at, privateState, managed = {} } = decodeEntry(outputs as JsonObject);
    const own = { privateState, managed: Object.keys(managed) };
    return at === undefined
      ? []
      : [{ at, ...(other === undefined ? own : { privateState: {}, managed: [] }) }];
  });
}
