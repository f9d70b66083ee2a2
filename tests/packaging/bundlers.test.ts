import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { rollup } from "rollup";
import webpack from "webpack";
import { sharedProject } from "../support/packed-library";

type Form = "cjs" | "esm";

/** @param file where the bundle is to be written */
type Bundler = (entry: string, form: Form, file: string) => Promise<unknown>;

const bundlers: Readonly<Record<string, Bundler>> = {
  esbuild: (entry, format, outfile) =>
    build({ entryPoints: [entry], bundle: true, platform: "node", format, outfile, logLevel: "error" }),
  // Without plugins for CommonJS; what a resolver finds by the condition "import".
  async rollup(entry, format, file) {
    const resolveId = (id: string): string | undefined =>
      id === "pulumi-trivium/webhook" ? join(sharedProject().library, "dist", "webhook.mjs") : undefined;
    const bundle = await rollup({
      input: entry,
      plugins: [{ name: "resolver", resolveId }],
      external: /^node:/,
    });
    await bundle.write({ file, format });
    await bundle.close();
  },
  vite: async (entry, form, file) =>
    (await import("vite")).build({
      configFile: false,
      logLevel: "error",
      root: join(entry, ".."),
      ssr: { noExternal: true },
      build: {
        ssr: entry,
        emptyOutDir: false,
        outDir: join(file, ".."),
        rollupOptions: { output: { format: form, entryFileNames: file.slice(join(file, "..").length + 1) } },
      },
    }),
  webpack: (entry, form, file) =>
    new Promise((resolve, reject) => {
      const options: webpack.Configuration = {
        mode: "production",
        target: "node20",
        entry,
        experiments: { outputModule: form === "esm" },
        output: {
          path: join(file, ".."),
          filename: file.slice(join(file, "..").length + 1),
          library: { type: form === "esm" ? "module" : "commonjs2" },
        },
      };
      webpack(options, (error, stats) => {
        const problem = error ?? (stats?.hasErrors() === true ? new Error(stats.toString()) : undefined);
        if (problem === undefined) {
          resolve(undefined);
        } else {
          reject(problem);
        }
      });
    }),
};

const body = JSON.stringify({ payload_version: 1, run_id: "run-1", notifications: [] });
const signature = createHmac("sha512", "key").update(body).digest("hex");
const names = "{ parse, signatureHeader, signatureOf }";
const work = `
  const signature = signatureOf(new Headers({ [signatureHeader]: ${JSON.stringify(signature)} }));
  const { kind, runId } = parse(${JSON.stringify(body)}, { signature, token: "key" });
  console.log(kind, runId);`;
const sources = {
  "an import": ["receiver.mjs", `import ${names} from "pulumi-trivium/webhook";${work}`],
  require: ["receiver.cjs", `const ${names} = require("pulumi-trivium/webhook");${work}`],
} as const;

describe("a receiver in one file", function () {
  this.timeout(120_000);

  // Unpacked, since some bundlers treat packages and linked directories differently.
  const elsewhere = mkdtempSync(join(tmpdir(), "bundles-"));
  let project = "";
  before(() => {
    project = mkdtempSync(join(sharedProject().path, "receivers-"));
    for (const [name, text] of Object.values(sources)) {
      writeFileSync(join(project, name), text);
    }
  });
  after(() => rmSync(elsewhere, { recursive: true }));

  for (const [bundler, bundle] of Object.entries(bundlers)) {
    for (const [how, [name]] of Object.entries(sources)) {
      for (const form of ["cjs", "esm"] as const) {
        // Rollup alone knows no require.
        if (bundler !== "rollup" || how === "an import") {
          it(`a receiver with ${how} that ${bundler} bundles as ${form} runs without installed packages, and contains no more of the library than it needs`, async () => {
            const file = join(elsewhere, `${bundler}-${name}-${form}.${form === "esm" ? "mjs" : "cjs"}`);
            await bundle(join(project, name), form, file);
            assert.equal(
              execFileSync(process.execPath, [file], { cwd: elsewhere, encoding: "utf8" }),
              "run run-1\n",
            );
            assert.ok(readFileSync(file, "utf8").length < 40_000);
          });
        }
      }
    }
  }
});
