import * as pulumi from "@pulumi/pulumi";
import { showable } from "../base/shown-text";
import type { AnyResourceDefinition } from "./definition";
import { messageOf } from "../base/errors";
import type { JsonObject } from "../base/json";
import { isObject } from "../base/json";
import { hiddenKeys } from "./hidden";
import { managedOf } from "./managed";
import type { InheritedMemory } from "./run-options";
import { pluginToken, typeToken } from "./stub";

/** The resources in state, per run of a program; a process may have several runs. */
const states = new WeakMap<object, Promise<readonly Readonly<Record<string, unknown>>[]>>();

/**
 * What the entries in state store for the object that the arguments of a resource identify. To its provider a
 * renamed resource is new, and the provider does not see the former entry; only the program can read it.
 */
export async function inheritedMemories(
  definition: AnyResourceDefinition,
  args: pulumi.Inputs,
): Promise<readonly InheritedMemory[]> {
  const monitor = pulumi.runtime.getMonitor() as Monitor | undefined;
  // A preview changes nothing, and mocks have no state.
  if (pulumi.runtime.isDryRun() || monitor === undefined || monitor.mocks !== undefined) {
    return [];
  }
  const state = states.get(monitor) ?? readStates();
  states.set(monitor, state);
  const { identifiedBy: names = [] } = definition;
  const identity = await Promise.all(names.map((name) => valueOf(args[name])));
  const tokens = [typeToken(definition.type), pluginToken(definition.type)];
  return (await state).flatMap(({ type, outputs }) => {
    if (
      typeof type !== "string" ||
      !tokens.includes(type) ||
      !isObject(outputs) ||
      names.some((name, index) => outputs[name] !== identity[index])
    ) {
      return [];
    }
    const { [hiddenKeys.at]: at, [hiddenKeys.memory]: memory } = outputs;
    const managed = Object.keys(managedOf(definition, outputs as JsonObject) ?? {});
    return typeof at === "string" && isObject(memory) ? [{ at, memory: memory as JsonObject, managed }] : [];
  });
}

// The SDK does not expose whether a program is mocked.
interface Monitor {
  readonly mocks?: unknown;
}

async function readStates(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
  try {
    const { outputs } = (await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", {
      stackName,
    })) as { readonly outputs?: unknown };
    return Object.values({ ...(outputs as object | undefined) }).filter(isObject);
  } catch (error) {
    await pulumi.log.warn(
      showable(
        `The state of this stack cannot be read (${messageOf(error)}). ` +
          "A resource that was renamed without an alias starts without the data that the library stored for the former name.",
      ),
    );
    return [];
  }
}

// The SDK does not expose the value of an output.
interface OutputInternals {
  readonly promise: () => Promise<unknown>;
}

function valueOf(input: unknown): Promise<unknown> {
  return (pulumi.output(input) as unknown as OutputInternals).promise();
}
