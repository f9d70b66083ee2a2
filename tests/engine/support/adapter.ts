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
    describe(adapter === "dynamic" ? title : `${title}, with the plugin`, function () {
      suite.call(this, adapter);
    });
  }
}

/** @param type without the package: `provisioning:Project` */
export function typeWith(adapter: Adapter, type: string): string {
  return adapter === "dynamic" ? `pulumi-nodejs:dynamic/trivium/${type}` : `trivium:${type}`;
}

export function projectPlugins(adapter: Adapter): object {
  const providers = [{ name: "trivium", path: join(repository, "sdk", "plugin") }];
  return adapter === "dynamic" ? {} : { plugins: { providers } };
}
