// @ts-check
// Bundles the code of the dynamic provider's process and of the plugin. Both start for each operation, and loading a
// file per module takes longer than all their other work before the first request.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const directory = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const zod = path.dirname(require.resolve("zod/package.json"));

/** @type {import("esbuild").BuildOptions} */
const common = {
  // The bundle names modules relative to this directory.
  absWorkingDir: directory,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  charset: "utf8",
  // Node.js reads the whole file at each start. Short lines keep errors readable.
  minifyWhitespace: true,
  lineLimit: 200,
  logLevel: "warning",
  logOverride: { "import-is-undefined": "error" },
  metafile: true,
  banner: { js: "// Contains packages of others: see THIRD-PARTY-NOTICES.txt." },
};

const dynamic = await build({
  ...common,
  entryPoints: [path.join(directory, "dynamic.ts")],
  outfile: path.join(directory, "dist", "dynamic.js"),
  external: ["@pulumi/pulumi/*"],
  plugins: [
    { name: "pulumi-in-parts", setup: loadPartsOfPulumi },
    { name: "undici-in-parts", setup: loadPartsOfUndici },
    { name: "zod-in-english", setup: leaveLanguagesOut },
  ],
});

const plugin = await build({
  ...common,
  entryPoints: [path.join(directory, "plugin", "main.ts")],
  outfile: path.join(directory, "dist", "plugin", "main.js"),
  plugins: [
    { name: "no-pulumi", setup: leavePulumiOut },
    { name: "undici-in-parts", setup: loadPartsOfUndici },
    { name: "modules-of-pulumi", setup: includeModulesOfPulumi },
    { name: "zod-in-english", setup: leaveLanguagesOut },
  ],
});

// For bundlers, of which Rollup alone only knows ES modules.
await build({
  ...common,
  entryPoints: [path.join(directory, "webhook.ts")],
  outfile: path.join(directory, "dist", "webhook.mjs"),
  format: "esm",
  minifyWhitespace: false,
  banner: {},
});

writeFileSync(
  path.join(directory, "dist", "THIRD-PARTY-NOTICES.txt"),
  notices([dynamic, plugin].flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);

/**
 * The SDK's index also loads what only programs use, such as the Automation API.
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
      export { all, isSecret, Output, output, secret, unknown, unsecret } from "@pulumi/pulumi/output";
      export { createUrn, CustomResource, mergeOptions, ProviderResource, Resource } from "@pulumi/pulumi/resource";
      export * as runtime from "@pulumi/pulumi/runtime";`,
  }));
}

/**
 * Excludes the SDK from the plugin, where no program runs, except for its messages.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function leavePulumiOut({ onResolve }) {
  onResolve({ filter: /^@pulumi\/pulumi(?:\/|$)/ }, ({ path: name }) =>
    name.startsWith("@pulumi/pulumi/proto/")
      ? undefined
      : { path: path.join(directory, "plugin", "no-program.ts") },
  );
}

/**
 * Bundles the SDK's modules, so that the plugin need not find the SDK.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function includeModulesOfPulumi({ onResolve, onLoad }) {
  const messages = ["engine", "provider"].flatMap((name) => [`${name}_pb`, `${name}_grpc_pb`]);
  const modules = [
    "@grpc/grpc-js",
    ...[...messages, "plugin_pb", "status_pb"].map((name) => `@pulumi/pulumi/proto/${name}`),
    ...["any", "empty", "struct"].map((name) => `google-protobuf/google/protobuf/${name}_pb`),
  ];
  // gRPC only needs it for administrative services, which the plugin does not offer.
  onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path: name }) => ({ path: name, external: true }));
  onLoad({ filter: /[\\/]engine[\\/]sdk-modules\.ts$/ }, () => ({
    contents: `
      const modules = { ${modules.map((name) => `"${name}": () => require("${name}"),`).join("\n")} };
      export const requireFromSdk = (name) => modules[name]();`,
    resolveDir: path.dirname(require.resolve("@pulumi/pulumi/package.json")),
  }));
}

/**
 * undici's index also loads fetch, WebSocket, caches and mocks, for longer than one request takes.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function loadPartsOfUndici({ onResolve, onLoad }) {
  onResolve({ filter: /^undici\/index\.js$/ }, () => ({ path: "parts", namespace: "undici" }));
  onLoad({ filter: /^parts$/, namespace: "undici" }, () => ({
    contents: `
      module.exports = {
        Agent: require("undici/lib/dispatcher/agent"),
        buildConnector: require("undici/lib/core/connect"),
        get Client() {
          const { prototype } = require("undici/lib/dispatcher/dispatcher");
          Object.assign(prototype, { connect: require("undici/lib/api/api-connect") });
          return require("undici/lib/dispatcher/client");
        },
        get Socks5ProxyAgent() {
          return require("undici/lib/dispatcher/socks5-proxy-agent");
        },
      };`,
    resolveDir: directory,
  }));
}

/**
 * Excludes zod's messages in other languages, half of its code.
 *
 * @param {import("esbuild").PluginBuild} build
 */
function leaveLanguagesOut({ onResolve, onLoad }) {
  onResolve({ filter: /^zod$/ }, () => ({ path: path.join(zod, "index.js") }));
  onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "" }));
}

/**
 * Required by the licences of bundled packages.
 *
 * @param {readonly string[]} files
 */
function notices(files) {
  const packages = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? "");
  const texts = [...new Set(packages.filter((found) => found !== ""))].sort().map((found) => {
    const read = (/** @type {string} */ name) => readFileSync(path.join(directory, found, name), "utf8");
    const { name, version, license } = JSON.parse(read("package.json"));
    const file = readdirSync(path.join(directory, found)).find((each) =>
      /^licen[cs]e(?:\.\w+)?$/i.test(each),
    );
    if (file === undefined) {
      throw new Error(`${name} is bundled and has no licence`);
    }
    return `${name} ${version}, ${license}\n\n${read(file).trim()}\n`;
  });
  return `Files of this package contain these packages of others.\n\n${texts.join("\n")}`;
}
