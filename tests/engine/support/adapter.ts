import { join } from "node:path";
import type { Configuration } from "./configuration";

export type Adapter = (typeof adapters)[number];

const adapters = ["dynamic", "plugin"] as const;

/** `TRIVIUM_ADAPTERS=dynamic,plugin` selects the adapters of this process. */
export function presentAdapters(): readonly Adapter[] {
  const named = (process.env.TRIVIUM_ADAPTERS ?? "dynamic").split(",");
  return adapters.filter((adapter) => named.includes(adapter));
}

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

export function typeWith(adapter: Adapter, dynamicType: string): string {
  return adapter === "dynamic"
    ? dynamicType
    : dynamicType.replace("pulumi-nodejs:dynamic/trivium/", "trivium:");
}

export function projectPlugins(adapter: Adapter): object {
  const providers = [{ name: "trivium", path: join(__dirname, "..", "..", "..", "sdk", "plugin") }];
  return adapter === "dynamic" ? {} : { plugins: { providers } };
}

export function adapterConfiguration(adapter: Adapter): Configuration {
  return adapter === "dynamic" ? {} : { "trivium:adapter": adapter };
}
