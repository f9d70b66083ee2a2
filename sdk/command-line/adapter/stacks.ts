import { messageOf } from "../../base/errors";
import { isObject } from "../../base/json";
import { listed } from "../../base/shown-text";
import { askPulumi } from "../pulumi-cli";

/** Each function runs a process of the Pulumi CLI. */
const atOnce = 4;

/**
 * Why Pulumi.yaml still has to list the plugin: the engine uses it to replace and delete resources that it wrote,
 * whatever the program says now.
 *
 * @returns a sentence; `undefined` if no stack needs it
 */
export async function needOfPlugin(signal: AbortSignal): Promise<string | undefined> {
  try {
    const stacks = await stacksOnPlugin(signal);
    return stacks.length === 0
      ? undefined
      : `it is required to replace or delete resources in the state of ${listed(stacks)}.`;
  } catch (error) {
    return `it is required as long as a stack's state contains resources that it wrote. ${messageOf(error)}`;
  }
}

async function stacksOnPlugin(signal: AbortSignal): Promise<readonly string[]> {
  const states = await statesOfStacks(signal);
  return states.filter(({ resources }) => resources.some(isOnPlugin)).map(({ stack }) => stack);
}

export type StateResource = Readonly<Record<string, unknown>>;

/** The stacks of the project in the working directory, without secrets. */
export async function statesOfStacks(
  signal: AbortSignal,
): Promise<readonly { readonly stack: string; readonly resources: readonly StateResource[] }[]> {
  const stacks = await askPulumi(["stack", "ls", "--json"], signal, "The list of the project's stacks");
  const names = itemsOf(stacks).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const found = new Map<string, readonly StateResource[]>();
  const waiting = [...names];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      found.set(name, await resourcesOfStack(name, signal));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return names.map((stack) => ({ stack, resources: found.get(stack) ?? [] }));
}

/**
 * Exports a stack, without secrets unless `more` requests them. @param stack `undefined` for the selected one
 */
export async function resourcesOfStack(
  stack: string | undefined,
  signal: AbortSignal,
  ...more: readonly string[]
): Promise<readonly StateResource[]> {
  const what = stack === undefined ? "The state of the selected stack" : `The state of the stack ${stack}`;
  const chosen = stack === undefined ? [] : ["--stack", stack];
  const exported = await askPulumi(["stack", "export", ...chosen, ...more], signal, what);
  const { deployment } = isObject(exported) ? exported : {};
  return itemsOf(isObject(deployment) ? deployment.resources : undefined);
}

function isOnPlugin({ provider }: StateResource): boolean {
  return typeof provider === "string" && provider.includes("::pulumi:providers:trivium::");
}

function itemsOf(list: unknown): readonly StateResource[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
