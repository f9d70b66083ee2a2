// @ts-check
// Makes one file of what the engine's provider process loads. It starts again for each operation, and to find, read and
// compile a file for each module takes longer than everything else that it does before its first request.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const directory = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const entry = path.join(directory, "dynamic.ts");
/** How the entry loads the module of a type, where each module is a file. */
const loading = "require(`./${module}`)";
const zod = path.dirname(require.resolve("zod/package.json"));

await build({
  // Comments in the file name modules by their paths from here.
  absWorkingDir: directory,
  entryPoints: [entry],
  outfile: path.join(directory, "dist", "dynamic.js"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  charset: "utf8",
  logLevel: "warning",
  logOverride: { "import-is-undefined": "error" },
  external: ["@pulumi/pulumi/*", "undici"],
  banner: { js: `/*\nWith zod, ${licenseOf(zod)}*/` },
  plugins: [
    { name: "modules-by-type", setup: loadByTable },
    { name: "pulumi-in-parts", setup: loadPartsOfPulumi },
    { name: "zod-in-english", setup: leaveLanguagesOut },
  ],
});

/** Each module of a resource is a function in the file, which runs when its type is asked for. @param {import("esbuild").PluginBuild} build */
function loadByTable({ onLoad }) {
  onLoad({ filter: /[\\/]sdk[\\/]dynamic\.ts$/ }, () => {
    const text = readFileSync(entry, "utf8");
    if (!text.includes(loading)) {
      throw new Error(`${entry} does not load modules by ${loading} any more`);
    }
    const rows = resourceModules().map((name) => `${JSON.stringify(name)}: () => require("./${name}"),`);
    const contents = `${text.replace(loading, "(modules[module] ?? missing)(module)")}
const modules: Readonly<Record<string, (module: string) => unknown>> = { ${rows.join("\n")} };
function missing(module: string): never {
  throw Object.assign(new Error(\`Cannot find module './\${module}'\`), { code: "MODULE_NOT_FOUND" });
}`;
    return { contents, loader: "ts" };
  });
}

/** The files that have a resource's class, without extensions. */
function resourceModules() {
  return ["provisioning", "secrets", "scheduler"].flatMap((room) =>
    readdirSync(path.join(directory, room), { recursive: true, encoding: "utf8" })
      .map((name) => path.posix.join(room, ...name.split(path.sep)))
      .filter((name) => name.endsWith(".ts"))
      .filter((name) =>
        readFileSync(path.join(directory, name), "utf8").includes("static override readonly definition"),
      )
      .map((name) => name.slice(0, -".ts".length))
      .sort(),
  );
}

/**
 * The SDK's index also loads what only programs use, such as the Automation API; these parts the process has loaded
 * itself.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function loadPartsOfPulumi({ onResolve, onLoad }) {
  onResolve({ filter: /^@pulumi\/pulumi$/ }, ({ kind, path: name }) =>
    kind === "require-resolve" ? { path: name, external: true } : { path: "parts", namespace: "pulumi" },
  );
  onLoad({ filter: /^parts$/, namespace: "pulumi" }, () => ({
    contents: `
      export { Config } from "@pulumi/pulumi/config";
      export * as log from "@pulumi/pulumi/log";
      export { getOrganization, getProject, getStack } from "@pulumi/pulumi/metadata";
      export { all, isSecret, Output, output, secret, unsecret } from "@pulumi/pulumi/output";
      export { createUrn, CustomResource, mergeOptions, ProviderResource, Resource } from "@pulumi/pulumi/resource";
      export * as runtime from "@pulumi/pulumi/runtime";`,
  }));
}

/**
 * Of zod, what it says in languages other than English is half of what there is to load.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function leaveLanguagesOut({ onResolve, onLoad }) {
  onResolve({ filter: /^zod$/ }, () => ({ path: path.join(zod, "index.js") }));
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "" }));
}

/** @param {string} dependency */
function licenseOf(dependency) {
  return readFileSync(path.join(dependency, "LICENSE"), "utf8");
}
