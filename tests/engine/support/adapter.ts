import { join } from "node:path";
import { repository } from "../../support/packed-library";

export const adapters = ["dynamic", "plugin"] as const;

export type Adapter = (typeof adapters)[number];

/** `TRIVIUM_ADAPTERS=dynamic,plugin` selects the adapters of this process. */
export function describeWithAdapters(
  title: string,
  suite: (this: Mocha.Suite, adapter: Adapter) => void,
): void {
  const named = (process.env.TRIVIUM_ADAPTERS ?? "dynamic").split(",");
  for (const adapter of adapters.filter((each) => named.includes(each))) {
    describe(suiteTitle(title, adapter), function () {
      suite.call(this, adapter);
    });
  }
}

export function suiteTitle(title: string, adapter: Adapter): string {
  return adapter === "dynamic" ? title : `${title}, with the plugin`;
}

/** @param type without the package: `provisioning:Project` */
export function typeWith(adapter: Adapter, type: string): string {
  return adapter === "dynamic" ? `pulumi-nodejs:dynamic/trivium/${type}` : `trivium:${type}`;
}

export function projectPlugins(adapter: Adapter): object {
  const providers = [{ name: "trivium", path: join(repository, "sdk", "plugin") }];
  return adapter === "dynamic" ? {} : { plugins: { providers } };
}
