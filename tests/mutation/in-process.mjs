// @ts-check
// The test runner that Stryker uses here: mocha in Stryker's worker process, so that a mutant costs milliseconds.
// Stryker's own mocha runner supports this version of mocha on newer versions of Node.js only.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setImmediate as immediate } from "node:timers/promises";
import { PluginKind, commonTokens, declareClassPlugin, tokens } from "@stryker-mutator/api/plugin";
import {
  DryRunStatus,
  MutantRunStatus,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import Mocha from "mocha";
import ts from "typescript";

const require = createRequire(import.meta.url);
/** A test is out of time when it takes this many milliseconds more than five times what it takes without a mutant. */
const patience = 4000;
/** The run without mutants writes it, the workers that try mutants read it. */
const recordFile = "record.json";

/**
 * @typedef {import("@stryker-mutator/api/test-runner").TestResult} TestResult
 * @typedef {{
 *   tests: readonly { id: string, file: string, duration: number }[],
 *   reached: Readonly<Record<string, readonly string[]>>,
 * }} Recorded what tests there are, and which of them reach a file
 */

class MochaInProcess {
  static inject = tokens(commonTokens.options, commonTokens.fileDescriptions);

  /**
   * One for each file of tests, loaded when it is first needed.
   * @type {Map<string, Mocha>}
   */
  loaded = new Map();
  /** @type {Recorded | undefined} */
  recorded;
  /** What a test that ran out of time has begun goes on, and would disturb the next mutant. */
  disturbed = false;

  /**
   * @param {import("@stryker-mutator/api/core").StrykerOptions} options
   * @param {import("@stryker-mutator/api/core").FileDescriptions} files
   */
  constructor(options, files) {
    this.testFiles = /** @type {string[]} */ (options["mochaFiles"]).map((file) => path.resolve(file));
    this.mutated = Object.keys(files)
      .filter((file) => files[file]?.mutate)
      .map((file) => path.resolve(path.relative(import.meta.dirname + "/../..", file)));
    /** @type {import("@stryker-mutator/api/core").InstrumenterContext} */
    this.context = Reflect.get(globalThis, "__stryker__") ?? {};
    Reflect.set(globalThis, "__stryker__", this.context);
    compileOnRequire();
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  /** @param {import("@stryker-mutator/api/test-runner").DryRunOptions} options */
  async dryRun({ disableBail }) {
    this.testFiles.forEach((file) => this.load(file));
    const { tests } = await this.run({ bail: !disableBail, records: true });
    const { mutantCoverage } = this.context;
    /** @type {Recorded} */
    const recorded = {
      tests: tests.map(({ id, fileName = "", timeSpentMs }) => ({
        id,
        file: fileName,
        duration: timeSpentMs,
      })),
      reached: Object.fromEntries(
        this.mutated.map((file) => {
          const mutants = [...readFileSync(file, "utf8").matchAll(/stryMutAct_\w+\("(\d+)"\)/g)].map(
            ([, id = ""]) => id,
          );
          const reaching = Object.entries(mutantCoverage?.perTest ?? {}).filter(([, hits]) =>
            mutants.some((mutant) => mutant in hits),
          );
          return [file, reaching.map(([test]) => test)];
        }),
      ),
    };
    writeFileSync(recordFile, JSON.stringify(recorded));
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  /** @param {import("@stryker-mutator/api/test-runner").MutantRunOptions} options */
  async mutantRun({
    activeMutant,
    disableBail,
    hitLimit,
    mutantActivation,
    reloadEnvironment,
    sandboxFileName,
    testFilter,
  }) {
    if (this.disturbed) {
      // Stryker answers a rejection with a new worker and the same mutant.
      throw new Error("A worker whose tests are not over is of no further use.");
    }
    if (reloadEnvironment) {
      this.forget();
    }
    this.recorded ??= /** @type {Recorded} */ (JSON.parse(readFileSync(recordFile, "utf8")));
    const first = path.basename(sandboxFileName, ".ts");
    // What a module computes while it is loaded matters to tests that call the module, and to its own. One that only
    // has constants may matter to all tests.
    const reaching = this.recorded.reached[sandboxFileName] ?? [];
    const own = this.recorded.tests.filter(({ file }) => path.basename(file).startsWith(`${first}.`));
    const only = testFilter ?? (reaching.length > 0 ? [...reaching, ...own.map(({ id }) => id)] : undefined);
    const run = async () => {
      this.context.hitLimit = hitLimit;
      this.context.hitCount = hitLimit === undefined ? undefined : 0;
      return this.run({
        bail: !disableBail,
        mutant: activeMutant.id,
        isLoaded: mutantActivation === "static",
        only,
        first,
      });
    };
    let { tests, timedOut } = await run();
    if (
      !reloadEnvironment &&
      only?.length === 1 &&
      tests.every(({ status }) => status !== TestStatus.Failed)
    ) {
      // A single test may be the one for which something is computed once: it has been, before the mutant was there.
      this.forget();
      ({ tests, timedOut } = await run());
    }
    this.disturbed = timedOut;
    if (timedOut || (hitLimit !== undefined && (this.context.hitCount ?? 0) > hitLimit)) {
      return { status: MutantRunStatus.Timeout };
    }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests }, true);
  }

  /**
   * @param {{
   *   bail: boolean,
   *   records?: boolean,
   *   mutant?: string,
   *   isLoaded?: boolean,
   *   only?: readonly string[],
   *   first?: string,
   * }} options
   * @returns {Promise<{ tests: TestResult[], timedOut: boolean }>}
   */
  async run({ bail, records = false, mutant, isLoaded = false, only, first }) {
    const ids = only === undefined ? undefined : new Set(only);
    const rank = (/** @type {string} */ file) =>
      first !== undefined && path.basename(file).startsWith(first) ? 0 : 1;
    const files = this.testFiles
      .filter(
        (file) =>
          ids === undefined || this.recorded?.tests.some((test) => test.file === file && ids.has(test.id)),
      )
      .sort((left, right) => rank(left) - rank(right));
    /** @type {Map<string, TestResult>} */
    const results = new Map();
    let timedOut = false;
    for (const file of files) {
      this.context.currentTestId = undefined;
      this.context.activeMutant = isLoaded ? mutant : undefined;
      const mocha = this.load(file);
      this.context.activeMutant = mutant;
      timedOut = (await this.runFile(mocha, { bail, records, ids, results })) || timedOut;
      if (bail && [...results.values()].some(({ status }) => status === TestStatus.Failed)) {
        break;
      }
    }
    await immediate();
    return { tests: [...results.values()], timedOut };
  }

  /**
   * @param {Mocha} mocha
   * @param {{
   *   bail: boolean,
   *   records: boolean,
   *   ids: ReadonlySet<string> | undefined,
   *   results: Map<string, TestResult>,
   * }} options
   * @returns {Promise<boolean>} whether a test ran out of time
   */
  async runFile(mocha, { bail, records, ids, results }) {
    const suites = allSuites(mocha.suite);
    const hooks = suites.map(hooksOf);
    const counts = hooks.map((lists) => lists.map((list) => list.length));
    suites.forEach((suite) => suite.bail(bail));
    const titles = new Set(
      suites
        .flatMap((suite) => suite.tests)
        .filter((test) => ids === undefined || ids.has(idOf(test)))
        .map((test) => test.fullTitle()),
    );
    Reflect.set(mocha.options, "grep", { test: (/** @type {string} */ title) => titles.has(title) });

    let timedOut = false;
    /**
     * @param {Mocha.Runnable} runnable
     * @param {Error} [error]
     */
    const record = (runnable, error) => {
      const id = idOf(runnable);
      const before = results.get(id);
      const timeSpentMs = (before?.timeSpentMs ?? 0) + (runnable.duration ?? 0);
      const base = { id, name: id, timeSpentMs, fileName: runnable.file };
      if (error !== undefined) {
        timedOut ||= Reflect.get(error, "code") === "ERR_MOCHA_TIMEOUT";
        results.set(id, { ...base, status: TestStatus.Failed, failureMessage: String(error.stack ?? error) });
      } else if (before?.status !== TestStatus.Failed) {
        results.set(id, { ...base, status: TestStatus.Success });
      }
    };
    await new Promise((resolve) => {
      const runner = mocha.run(() => resolve(undefined));
      runner.on("pass", (test) => record(test));
      runner.on("fail", (test, error) => record(test, error));
      if (records) {
        runner.on("suite", (suite) => (this.context.currentTestId = `suite ${suite.fullTitle()}`));
        runner.on("test", (test) => (this.context.currentTestId = idOf(test)));
      }
    });
    this.context.currentTestId = undefined;
    // Hooks that hooks have added belong to this run only.
    hooks.forEach((lists, suite) => lists.forEach((list, kind) => list.splice(counts[suite]?.[kind] ?? 0)));
    if (records) {
      this.spreadHooks(suites);
    }
    return timedOut;
  }

  /** @param {string} file */
  load(file) {
    const known = this.loaded.get(file);
    if (known !== undefined) {
      return known;
    }
    // What a test would load as the first one is loaded before all of them: it is nobody's.
    this.mutated.forEach((mutated) => void require(mutated));
    const durations = new Map(this.recorded?.tests.map(({ id, duration }) => [id, duration]));
    const mocha = new Mocha({ reporter: class {}, ui: "bdd", timeout: patience });
    mocha.cleanReferencesAfterRun(false);
    mocha.addFile(file);
    mocha.loadFiles();
    // Now, and never again: a new limit starts the timer even of a test that is over.
    for (const suite of allSuites(mocha.suite)) {
      for (const runnable of [...suite.tests, ...hooksOf(suite).flat()]) {
        runnable.timeout(
          this.recorded === undefined ? 60_000 : patience + 5 * (durations.get(idOf(runnable)) ?? 0),
        );
      }
    }
    this.loaded.set(file, mocha);
    return mocha;
  }

  forget() {
    this.loaded.clear();
    for (const file of Object.keys(require.cache)) {
      if (!file.includes("node_modules")) {
        Reflect.deleteProperty(require.cache, file);
      }
    }
  }

  /**
   * What the first hooks of a suite reach, all its tests do.
   * @param {readonly Mocha.Suite[]} suites
   */
  spreadHooks(suites) {
    const perTest = this.context.mutantCoverage?.perTest ?? {};
    for (const suite of suites) {
      const id = `suite ${suite.fullTitle()}`;
      const covered = perTest[id];
      if (covered !== undefined) {
        delete perTest[id];
        for (const test of allSuites(suite).flatMap(({ tests }) => tests)) {
          const own = (perTest[idOf(test)] ??= {});
          for (const [mutant, hits] of Object.entries(covered)) {
            own[mutant] = (own[mutant] ?? 0) + hits;
          }
        }
      }
    }
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "mocha-in-process", MochaInProcess)];

/**
 * @param {Mocha.Suite} suite
 * @returns {Mocha.Suite[]}
 */
function allSuites(suite) {
  return [suite, ...suite.suites.flatMap(allSuites)];
}

/**
 * @param {Mocha.Suite} suite
 * @returns {Mocha.Hook[][]}
 */
function hooksOf(suite) {
  return ["_beforeAll", "_beforeEach", "_afterEach", "_afterAll"].map((kind) => Reflect.get(suite, kind));
}

/** @type {Map<string, boolean>} */
const chained = new Map();

/**
 * Tests that are steps only run together.
 * @param {Mocha.Runnable} runnable
 */
function idOf(runnable) {
  const { file } = runnable;
  if (file !== undefined) {
    if (!chained.has(file)) {
      chained.set(file, readFileSync(file, "utf8").includes("resets: false"));
    }
    if (chained.get(file)) {
      return path.basename(file);
    }
  }
  return runnable.fullTitle();
}

/** As ts-node does without checking types, but what has not changed is compiled once for all workers. */
function compileOnRequire() {
  const root = process.cwd();
  const { compilerOptions } = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const cache = path.join(root, "..", "compiled");
  mkdirSync(cache, { recursive: true });
  require.extensions[".ts"] = (module, file) => {
    const source = readFileSync(file, "utf8");
    const stored = path.join(cache, `${createHash("sha256").update(source).digest("hex")}.js`);
    if (!existsSync(stored)) {
      const { outputText } = ts.transpileModule(source, { compilerOptions: options, fileName: file });
      writeFileSync(stored, outputText);
    }
    Reflect.get(module, "_compile").call(module, readFileSync(stored, "utf8"), file);
  };
}
