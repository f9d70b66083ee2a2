import type * as Undici from "undici";

type Part = "Agent" | "buildConnector" | "EnvHttpProxyAgent";

const parts: Readonly<Record<Part, () => unknown>> = {
  Agent: () => require("undici/lib/dispatcher/agent.js") as unknown,
  buildConnector: () => require("undici/lib/core/connect.js") as unknown,
  // A tunnel needs a method that only the complete undici adds to its classes.
  EnvHttpProxyAgent: () => (require("undici/index.js") as typeof Undici).EnvHttpProxyAgent,
};

/**
 * A part of undici. The complete package, with `fetch`, web sockets and mocks, takes three times as long to
 * load, which would delay each operation of the CLI.
 *
 * @param load loads the part alone. Default: from its current location inside undici, which is not part of
 *   its API
 */
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
