import { createLifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import { widgetDefinition } from "./widget";

/** A gadget with this label cannot be read. */
export const unreadable = "unreadable";

/** The response to the creation of a gadget with this label cannot be stored. */
export const bottomless = "bottomless";

/** A list in a list in a list, deeper than a program can follow. */
function bottomlessList(): unknown {
  let list: unknown = [];
  for (let depth = 0; depth < 100_000; depth++) {
    list = [list];
  }
  return list;
}

/**
 * A widget with a computed secret. An answer to a creation says nothing but the id, so every creation ends with a
 * read, which fails for one label with a message that holds a secret.
 */
const gadgetDefinition = {
  ...widgetDefinition,
  type: "provisioning:Gadget",
  outputs: { made: { secret: true } },
  arguments: {
    ...widgetDefinition.arguments,
    // Careless on purpose: it repeats the value.
    label: {
      ...widgetDefinition.arguments.label,
      warning: (label: unknown) =>
        String(label).includes("unlikely") ? `${String(label)} is unlikely to work` : undefined,
    },
  },
  rules: [
    {
      between: ["password", "key"],
      check: ({ password, key }: Readonly<Record<string, unknown>>) =>
        typeof password === "string" &&
        key === undefined && {
          argument: "password",
          reason: `${password} has no effect without key`,
          warning: true,
        },
    },
  ],
  create: async (...parameters: Parameters<typeof widgetDefinition.create>) => {
    const { id } = await widgetDefinition.create(...parameters);
    const [, { label }] = parameters;
    return { id, state: label === bottomless ? { tags: bottomlessList() } : {} };
  },
  read: async (...parameters: Parameters<typeof widgetDefinition.read>) => {
    const [, , known] = parameters;
    if (known.label === unreadable) {
      throw new Error(`The password ${String(known.password)} opens nothing.`);
    }
    return widgetDefinition.read(...parameters);
  },
};

/** What the engine's provider process runs. */
export const provider = createLifecycle(gadgetDefinition);

/** The packed library does not know gadgets. */
export const gadgetStub = `exports.handler=()=>{require("ts-node/register");return require(${JSON.stringify(__filename)}).provider}`;
