import type * as Undici from "undici";

type Part = "Agent" | "buildConnector" | "EnvHttpProxyAgent";

const parts: Readonly<Record<Part, () => unknown>> = {
  Agent: () => require("undici/lib/dispatcher/agent.js") as unknown,
  buildConnector: () => require("undici/lib/core/connect.js") as unknown,
  // Tunnels need a method that only the complete package adds to its classes.
  EnvHttpProxyAgent: () => (require("undici/index.js") as typeof Undici).EnvHttpProxyAgent,
};

/** The complete package takes three times as long to load. The locations of its parts are not part of its API. */
export function partOfUndici<Name extends Part>(name: Name, load = parts[name]): (typeof Undici)[Name] {
  try {
    return load() as (typeof Undici)[Name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    // Bun replaces "undici" with a shim that has no dispatch.
    return (require("undici/index.js") as typeof Undici)[name];
  }
}
