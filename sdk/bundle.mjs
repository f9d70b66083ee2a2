// @ts-check
// Bundles the code of the dynamic provider's process and of the plugin. Both start for each operation, and loading a
// file per module takes longer than all their other work before the first request. Programs load one file for the same
// reason; its lines and names are those of the sources, for stack traces.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Contrib, Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { build } from "esbuild";
import parseLicense from "spdx-expression-parse";

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

await build({
  ...common,
  entryPoints: ["index.ts", "testing.ts"].map((name) => path.join(directory, name)),
  outdir: path.join(directory, "dist"),
  packages: "external",
  minifyWhitespace: false,
  banner: {},
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

/** @typedef {Readonly<Record<"name" | "version" | "license", string>>} Manifest */

const bundled = packagesIn({ "dist/dynamic.js": dynamic, "dist/plugin/main.js": plugin });
write("THIRD-PARTY-NOTICES.txt", notices());
write("bom.cdx.json", billOfMaterials());

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
 * @param {string} name
 * @param {string} text
 */
function write(name, text) {
  writeFileSync(path.join(directory, "dist", name), text);
}

/**
 * The packages of others that the bundles contain, with the bundles of each.
 *
 * @param {Readonly<Record<string, { readonly metafile: import("esbuild").Metafile }>>} bundles
 */
function packagesIn(bundles) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [bundle, { metafile }] of Object.entries(bundles)) {
    const files = Object.keys(metafile.inputs);
    const places = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
    new Set(places).forEach((place) => found.set(place, [...(found.get(place) ?? []), bundle]));
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([place, files]) => ({ place, manifest: manifestIn(path.join(directory, place)), files }));
}

/**
 * @param {string} place
 * @returns {Manifest}
 */
function manifestIn(place) {
  return JSON.parse(readFileSync(path.join(place, "package.json"), "utf8"));
}

/** Required by the licenses of bundled packages. */
function notices() {
  const texts = bundled.map(({ place, manifest: { name, version, license } }) => {
    const files = readdirSync(path.join(directory, place));
    const file = files.find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each));
    if (file === undefined) {
      throw new Error(`${name} is bundled and has no license`);
    }
    const text = readFileSync(path.join(directory, place, file), "utf8").trim();
    return `${name} ${version}, ${license}\n\n${text}\n`;
  });
  return `Files of this package contain these packages of others.\n\n${texts.join("\n")}`;
}

/** In the CycloneDX format, for scanners that only see installed packages. The same text whenever it is built. */
function billOfMaterials() {
  const { Builders, Factories } = Contrib.FromNodePackageJson;
  const licenses = new Contrib.License.Factories.LicenseFactory(parseLicense);
  const builder = new Builders.ComponentBuilder(new Factories.ExternalReferenceFactory(), licenses);
  /** @param {Manifest} manifest */
  const library = (manifest) => {
    const component = builder.makeComponent(manifest, Enums.ComponentType.Library);
    if (component === undefined) {
      throw new Error("A package without a name is bundled.");
    }
    component.purl = `pkg:npm/${manifest.name.replace("@", "%40")}@${manifest.version}`;
    component.bomRef.value = component.purl;
    return component;
  };
  const own = library(manifestIn(directory));
  const components = bundled.map(({ manifest, files }) => {
    const component = library(manifest);
    files.forEach((file) => component.properties.add(new Models.Property("pulumi-trivium:bundle", file)));
    own.dependencies.add(component.bomRef);
    return component;
  });
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: own }),
    components: new Models.ComponentRepository(components),
  });
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}
