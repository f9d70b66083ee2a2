import { join } from "node:path";
import type { Configuration } from "./surroundings";

/** How the engine reaches the library: by dynamic resources, or by the provider plugin. */
export type Adapter = (typeof adapters)[number];

const adapters = ["dynamic", "plugin"] as const;

/** The ways in which the suites of this process are run; `TRIVIUM_ADAPTERS=dynamic,plugin` names others. */
export function presentAdapters(): readonly Adapter[] {
  const named = (process.env.TRIVIUM_ADAPTERS ?? "dynamic").split(",");
  return adapters.filter((adapter) => named.includes(adapter));
}

/** Describes a suite once for each of these ways. */
export function describeWithAdapters(
  title: string,
  suite: (this: Mocha.Suite, adapter: Adapter) => void,
): void {
  for (const adapter of presentAdapters()) {
    describe(`${title}${adapter === "dynamic" ? "" : ", with the plugin"}`, function () {
      suite.call(this, adapter);
    });
  }
}

/** The name of a class's type in state, told from the one that dynamic resources have. */
export function typeWith(adapter: Adapter, dynamicType: string): string {
  return adapter === "dynamic"
    ? dynamicType
    : dynamicType.replace("pulumi-nodejs:dynamic/trivium/", "trivium:");
}

/** What an adapter needs in a project's file. */
export function projectPlugins(adapter: Adapter): object {
  const providers = [{ name: "trivium", path: join(__dirname, "..", "..", "..", "sdk", "plugin") }];
  return adapter === "dynamic" ? {} : { plugins: { providers } };
}

/** What an adapter needs in a stack's configuration. */
export function adapterConfiguration(adapter: Adapter): Configuration {
  return adapter === "dynamic" ? {} : { "trivium:adapter": adapter };
}
