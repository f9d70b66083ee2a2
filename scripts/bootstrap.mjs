// @ts-check
// Prepares a fresh clone for the commands in package.json: installs the dependencies of package-lock.json and builds
// the SDK, because programs and the engine's provider process load the compiled code, as users do.
// Does nothing if both are up to date. Plain JavaScript, because nothing is installed yet.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const minimumNode = "20.18.1";
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const sdk = path.join(root, "sdk");
const output = path.join(sdk, "dist");
/** Fingerprints of the last build's sources and output, outside everything that is published or linted. */
const stampFile = path.join(root, "node_modules", ".cache", "pulumi-trivium", "sdk-build.json");

requireNode();
if (!dependenciesAreInstalled()) {
  step("installing dependencies", ["ci", "--include=dev", "--no-audit", "--no-fund"]);
}
buildIfNeeded();

function requireNode() {
  const { node } = process.versions;
  if (node.localeCompare(minimumNode, "en", { numeric: true }) < 0) {
    fail(`Node.js ${minimumNode} or newer is needed; this is ${node} (${process.execPath}).`);
  }
}

/** npm writes its own record last and removes it first, so that it reveals interrupted and outdated installations. */
function dependenciesAreInstalled() {
  const record = path.join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) {
    return false;
  }
  const installed = lockedPackages(record);
  return Object.entries(lockedPackages(path.join(root, "package-lock.json"))).every(([location, locked]) => {
    const found = installed[location];
    if (location === "" || (found === undefined && locked?.optional)) {
      return true;
    }
    return (
      found !== undefined &&
      found.version === locked?.version &&
      found.integrity === locked?.integrity &&
      existsSync(path.join(root, location, "package.json"))
    );
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean } | undefined>}
 */
function lockedPackages(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

/** Compares contents, not times: a checkout, a revert or a deleted file changes times in any direction. */
function buildIfNeeded() {
  const sources = fingerprints(sdk, (name) => /\.(?:ts|mjs|json)$/.test(name));
  for (const name of ["tsconfig.json", "package-lock.json"]) {
    sources[`../${name}`] = fingerprint(path.join(root, name));
  }
  const last = readStamp();
  const isIntact = same(last.output, outputs());
  if (isIntact && same(last.sources, sources)) {
    return;
  }
  // The compiler never removes files, and its incremental build does not notice that an output file is missing.
  if (!isIntact || !same(Object.keys(last.sources), Object.keys(sources))) {
    rmSync(output, { recursive: true, force: true });
  }
  rmSync(stampFile, { force: true });
  step("building the SDK", ["run", "build", "--workspace", "pulumi-trivium"]);
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ sources, output: outputs() }));
}

/** @returns {{ sources: Record<string, string>, output: Record<string, string> }} */
function readStamp() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : { sources: {}, output: {} };
}

function outputs() {
  return existsSync(output) ? fingerprints(output, (name) => name !== ".tsbuildinfo") : {};
}

/**
 * @param {string} directory
 * @param {(name: string) => boolean} isIncluded
 * @returns {Record<string, string>} by relative path, in a stable order
 */
function fingerprints(directory, isIncluded) {
  /** @type {Record<string, string>} */
  const found = {};
  const visit = (/** @type {string} */ folder) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const location = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules" && location !== output) {
          visit(location);
        }
      } else if (isIncluded(entry.name)) {
        found[path.relative(directory, location)] = fingerprint(location);
      }
    }
  };
  visit(directory);
  return found;
}

/** @param {string} file */
function fingerprint(file) {
  return createHash("sha256").update(readFileSync(file)).digest("base64");
}

/**
 * @param {unknown} left
 * @param {unknown} right
 */
function same(left, right) {
  return JSON.stringify(left) === JSON.stringify(right);
}

/**
 * Runs npm quietly; its output is shown if it fails.
 * @param {string} title
 * @param {string[]} parameters
 */
function step(title, parameters) {
  const start = performance.now();
  process.stderr.write(`${title} ...`);
  const result = spawnSync("npm", parameters, {
    cwd: root,
    env: npmEnvironment(),
    encoding: "utf8",
    maxBuffer: Infinity,
    shell: process.platform === "win32",
  });
  if (result.error || result.status !== 0) {
    process.stderr.write(" failed\n");
    fail(result.error ? `npm cannot be started: ${result.error.message}` : result.stdout + result.stderr);
  }
  process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}

/** Removes flags that `npm run` passes on and that would change what is installed. */
function npmEnvironment() {
  const flags =
    /^npm_config_(workspaces?|include_workspace_root|dry_run|global|location|omit|package_lock_only)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !flags.test(name)));
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  process.stderr.write(`${message.trimEnd()}\n`);
  process.exit(1);
}
