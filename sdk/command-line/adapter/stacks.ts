import { isObject } from "../../base/json";
import { askPulumi, unreadable } from "../pulumi-cli";

/** Each runs a process of the Pulumi CLI. */
const atOnce = 4;

/** The engine uses the plugin to replace and delete resources that it wrote, whatever the program says now. */
export async function stacksOnPlugin(signal: AbortSignal): Promise<readonly string[]> {
  const what = "The list of the project's stacks";
  const listed = parsed(await askPulumi(["stack", "ls", "--json"], signal, what), what);
  const names = (Array.isArray(listed) ? listed : []).flatMap((stack: unknown) =>
    isObject(stack) && typeof stack.name === "string" ? [stack.name] : [],
  );
  const found = new Set<string>();
  const waiting = [...names];
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const state = `The state of the stack ${name}`;
      const exported = parsed(await askPulumi(["stack", "export", "--stack", name], signal, state), state);
      if (hasPluginResources(exported)) {
        found.add(name);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return names.filter((name) => found.has(name));
}

function hasPluginResources(exported: unknown): boolean {
  const { resources } = Object((exported as { readonly deployment?: unknown } | null)?.deployment) as {
    readonly resources?: unknown;
  };
  return (Array.isArray(resources) ? resources : []).some(
    (resource: unknown) =>
      isObject(resource) &&
      typeof resource.provider === "string" &&
      resource.provider.includes("::pulumi:providers:trivium::"),
  );
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(what, "the output of the Pulumi CLI is not JSON.");
  }
}
