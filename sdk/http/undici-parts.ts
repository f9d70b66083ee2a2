import type * as Undici from "undici";

type Part = "Agent" | "buildConnector" | "EnvHttpProxyAgent";

const parts: Readonly<Record<Part, () => unknown>> = {
  Agent: () => require("undici/lib/dispatcher/agent.js") as unknown,
  buildConnector: () => require("undici/lib/core/connect.js") as unknown,
  // A tunnel needs a method that only the whole of undici gives its classes.
  EnvHttpProxyAgent: () => (require("undici/index.js") as typeof Undici).EnvHttpProxyAgent,
};

/**
 * A part of undici. All of it, with `fetch`, web sockets and mocks, takes three times as long to load, which each
 * operation of the CLI would wait for.
 *
 * @param load loads the part alone. Default: from where undici keeps it, which it does not promise
 */
export function partOfUndici<Name extends Part>(name: Name, load = parts[name]): (typeof Undici)[Name] {
  try {
    return load() as (typeof Undici)[Name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    // Bun gives a shim of its own to whoever asks for "undici"; it has no dispatch.
    return (require("undici/index.js") as typeof Undici)[name];
  }
}
