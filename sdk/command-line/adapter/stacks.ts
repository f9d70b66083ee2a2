import { messageOf } from "../../base/errors";
import { isObject } from "../../base/json";
import { listed } from "../../base/shown-text";
import { askPulumi } from "../pulumi-cli";

/** Each runs a process of the Pulumi CLI. */
const atOnce = 4;

/**
 * Why Pulumi.yaml still has to name the plugin: the engine uses it to replace and delete resources that it wrote,
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
    return `it is required as long as the state of a stack has resources that it has written. ${messageOf(error)}`;
  }
}

async function stacksOnPlugin(signal: AbortSignal): Promise<readonly string[]> {
  const stacks = await askPulumi(["stack", "ls", "--json"], signal, "The list of the project's stacks");
  const names = itemsOf(stacks).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const found = new Set<string>();
  const waiting = [...names];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const args = ["stack", "export", "--stack", name];
      if (hasPluginResources(await askPulumi(args, signal, `The state of the stack ${name}`))) {
        found.add(name);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return names.filter((name) => found.has(name));
}

function hasPluginResources(exported: unknown): boolean {
  const { deployment } = isObject(exported) ? exported : {};
  return itemsOf(isObject(deployment) ? deployment.resources : undefined).some(
    ({ provider }) => typeof provider === "string" && provider.includes("::pulumi:providers:trivium::"),
  );
}

function itemsOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
