import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as settings from "@pulumi/pulumi/runtime/settings";
import { LocalWorkspace, type PulumiFn, Stack } from "@pulumi/pulumi/automation";
import { temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts";
import { useRunning } from "../../support/use-running";
import { type Adapter, adapterConfiguration, projectPlugins } from "./adapter";
import { testCli } from "./cli";
import { nameIn, type Outcome, OutcomeRecorder } from "./outcome";
import { until } from "./processes";
import type { Configuration } from "./configuration";

export type { Outcome } from "./outcome";

/**
 * The SDK leaves open connections that keep dialling a CLI that has ended. If connections were shared, their failures
 * would break later connections to the same port, which other CLIs reuse.
 */
const connectionOptions = (settings as { readonly grpcClientOptions?: Record<string, unknown> })
  .grpcClientOptions;
assert.ok(connectionOptions, "the SDK has its connections' options elsewhere now");
connectionOptions["grpc.use_local_subchannel_pool"] = 1;

/** Runs in the real CLI. A plain object that it returns, or resolves to, is the stack's outputs. */
export type Program = () => unknown;

export interface OperationOptions {
  /** Sends SIGINT to the CLI when aborted, as Ctrl-C does. */
  readonly signal?: AbortSignal;
  /** URNs of resources to replace without a change. */
  readonly replace?: string[];
  readonly parallel?: number;
  /** Continues with other resources after a failure. */
  readonly continueOnError?: boolean;
  readonly refresh?: boolean;
  /** The file of an update plan, which limits the update. */
  readonly plan?: string;
}

export interface PreviewOptions {
  /** Reads every resource first; state does not change. */
  readonly refresh?: boolean;
  readonly expectNoChanges?: boolean;
  /** A file for the update plan. */
  readonly plan?: string;
}

export interface StateOperationOptions extends OperationOptions {
  /** Runs it, so that the current configuration applies. Default: the configuration in state. */
  readonly program?: Program;
}

export interface ImportedObject {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly provider?: string;
}

export class OperationFailed extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.text);
  }

  get text(): string {
    return this.outcome.text;
  }
}

/** A stack with its own file backend, driven through the Automation API. Keeps all output, to search it for secrets. */
export class SharedStack {
  output = "";

  private constructor(
    private readonly project: string,
    private readonly stack: Stack,
    readonly directory: string,
  ) {}

  /** @param project also the project's name; it must be unique among tests that run in parallel */
  static async create(
    project: string,
    configuration: Configuration,
    environment: Readonly<Record<string, string>> = {},
    adapter: Adapter = "dynamic",
  ): Promise<SharedStack> {
    const directory = temporaryDirectory(project);
    // Otherwise the CLI asks git about the whole repository at each operation.
    mkdirSync(join(directory, ".git"));
    const cli = await testCli();
    const stack = await LocalWorkspace.createStack(
      { stackName: "test", projectName: project, program: inline(nothing) },
      {
        workDir: directory,
        pulumiCommand: cli.command,
        envVars: cli.environment({
          PULUMI_HOME: join(directory, "home"),
          PULUMI_CONFIG_PASSPHRASE: "correct horse",
          ...environment,
        }),
        projectSettings: {
          name: project,
          runtime: "nodejs",
          backend: { url: `file://${directory}` },
          ...projectPlugins(adapter),
        },
      },
    );
    const whole = { ...configuration, ...adapterConfiguration(adapter) };
    return new SharedStack(project, await configured(stack, whole), directory);
  }

  /** As `use-plugin` and `use-dynamic` do. */
  async useAdapter(adapter: Adapter): Promise<void> {
    const project = await this.stack.workspace.projectSettings();
    await this.stack.workspace.saveProjectSettings({ ...project, ...projectPlugins(adapter) });
    await (adapter === "plugin"
      ? this.setConfiguration("trivium:adapter", "plugin")
      : this.removeConfiguration("trivium:adapter"));
  }

  async beside(
    name: string,
    configuration: Configuration,
    adapter: Adapter = "dynamic",
  ): Promise<SharedStack> {
    const stack = await Stack.create(name, this.stack.workspace);
    const whole = { ...configuration, ...adapterConfiguration(adapter) };
    return new SharedStack(this.project, await configured(stack, whole), this.directory);
  }

  async moveTo({ stack: destination }: SharedStack, urns: readonly string[]): Promise<void> {
    const ends = ["--source", this.stack.name, "--dest", destination.name];
    await this.command(["state", "move", "--yes", ...ends, ...urns]);
  }

  /** For commands that the Automation API does not have. @returns the standard output */
  async command(words: readonly string[]): Promise<string> {
    const { workspace } = this.stack;
    const { stdout } = await promisify(execFile)(
      workspace.pulumiCommand.command,
      [...words, "--non-interactive"],
      { cwd: this.directory, env: { ...process.env, ...workspace.envVars } },
    );
    this.output += stdout;
    return stdout;
  }

  /** Runs a command of the library in the project's directory, with the CLI on PATH. */
  async library(words: readonly string[]): Promise<string> {
    const { workspace } = this.stack;
    const main = join(__dirname, "..", "..", "..", "sdk", "dist", "command-line", "main.js");
    const path = [dirname(workspace.pulumiCommand.command), process.env.PATH ?? ""].join(delimiter);
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
      cwd: this.directory,
      env: { ...process.env, ...workspace.envVars, PATH: path },
    });
    return stdout;
  }

  /** Removes the lock that a killed CLI has left. */
  async unlock(): Promise<void> {
    await this.stack.cancel();
  }

  up(program: Program, options: OperationOptions = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.stack.up({ program: inline(program), ...told, diff: true, ...options }),
    );
  }

  /** @throws OperationFailed when the plan shows a change */
  previewWithoutChanges(program: Program, options: PreviewOptions = {}): Promise<Outcome> {
    return this.preview(program, { ...options, expectNoChanges: true });
  }

  preview(program: Program, options: PreviewOptions = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.stack.preview({ program: inline(program), ...told, diff: true, ...options }),
    );
  }

  refresh({ program, ...options }: StateOperationOptions = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.withProgram(program, (runProgram) => this.stack.refresh({ ...told, ...options, runProgram })),
    );
  }

  destroy({ program, ...options }: StateOperationOptions = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.withProgram(program, (runProgram) => this.stack.destroy({ ...told, ...options, runProgram })),
    );
  }

  async import(objects: readonly ImportedObject[]): Promise<Outcome> {
    const providers = (await this.resources()).filter(({ type }) => type.startsWith("pulumi:providers:"));
    const nameTable = Object.fromEntries(providers.map(({ urn }) => [nameIn(urn), urn]));
    const options = { resources: [...objects], nameTable, protect: false, generateCode: false };
    return this.operate(({ onOutput }) => this.stack.import({ ...options, onOutput }));
  }

  /** Every state of the stack, as the backend stores it: secrets are encrypted. */
  state(): Promise<string> {
    return textsIn(join(this.directory, ".pulumi"));
  }

  /** With secrets in clear text, in the engine's wrapping. */
  async resourcesInClear(type?: string): Promise<readonly StateResource[]> {
    const { deployment } = (await this.stack.exportStack()) as { deployment: Deployment };
    return resourcesIn(deployment, type);
  }

  /** From the backend's file, without the CLI: secrets are encrypted. */
  async resources(type?: string): Promise<readonly StateResource[]> {
    const { checkpoint } = JSON.parse(await this.stateFile()) as { checkpoint: { latest?: Deployment } };
    return resourcesIn(checkpoint.latest, type);
  }

  async ids(type: string): Promise<readonly string[]> {
    return (await this.resources(type)).flatMap(({ id }) => id ?? []);
  }

  async idsByName(type: string): Promise<ReadonlyMap<string, string>> {
    return new Map(
      (await this.resources(type)).flatMap(({ urn, id }) =>
        id === undefined ? [] : [[nameIn(urn), id] as const],
      ),
    );
  }

  async urns(type: string): Promise<string[]> {
    return (await this.resources(type)).map(({ urn }) => urn);
  }

  stateFile(): Promise<string> {
    return readFile(this.statePath, "utf8");
  }

  /** For some milliseconds, as while the engine writes the attributes of the file. */
  makeStateUnreadable(milliseconds: number): void {
    const attributes = `${this.statePath}.attrs`;
    rmSync(attributes, { force: true });
    mkdirSync(attributes);
    setTimeout(() => rmdirSync(attributes), milliseconds);
  }

  /** @param text the state file of another stack of the same project */
  async replaceStateFile(text: string): Promise<void> {
    await writeFile(this.statePath, text);
  }

  /** Secrets are in clear text, in the engine's wrapping. */
  async rewriteResources(
    rewrite: (resources: readonly StateResource[]) => readonly StateResource[],
  ): Promise<void> {
    const exported = await this.stack.exportStack();
    const deployment = exported.deployment as Deployment;
    const resources = rewrite(deployment.resources ?? []);
    await this.stack.importStack({ ...exported, deployment: { ...deployment, resources } });
  }

  /** Removes resources from state without deleting them. Default: all. */
  forgetResources(forgets: (resource: StateResource) => boolean = () => true): Promise<void> {
    return this.rewriteResources((resources) => resources.filter((resource) => !forgets(resource)));
  }

  async outputs(): Promise<Record<string, { value: unknown; secret: boolean }>> {
    return await this.stack.workspace.stackOutputs(this.stack.name);
  }

  async setConfiguration(key: string, value: string, secret = false): Promise<void> {
    await this.stack.setConfig(key, { value, secret });
  }

  async removeConfiguration(key: string): Promise<void> {
    await this.stack.removeConfig(key);
  }

  /** For the CLI and its child processes from now on; `undefined` removes a variable. */
  setEnvironment(variables: Readonly<Record<string, string | undefined>>): void {
    const { workspace } = this.stack;
    const merged = Object.entries({ ...workspace.envVars, ...variables });
    workspace.envVars = Object.fromEntries(
      merged.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    );
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get statePath(): string {
    return join(this.directory, ".pulumi", "stacks", this.project, `${this.stack.name}.json`);
  }

  /** The API takes the program of these operations only from the workspace. */
  private async withProgram<Result>(
    program: Program | undefined,
    operation: (runProgram: boolean) => Promise<Result>,
  ): Promise<Result> {
    const { workspace } = this.stack;
    workspace.program = inline(program ?? nothing);
    try {
      return await operation(program !== undefined);
    } finally {
      workspace.program = inline(nothing);
    }
  }

  private async operate(operation: (told: OutcomeRecorder["told"]) => Promise<unknown>): Promise<Outcome> {
    const recorder = new OutcomeRecorder();
    const settled = programSettled();
    try {
      await operation(recorder.told);
      return recorder.outcome();
    } catch (error) {
      recorder.add(error instanceof Error ? error.message : String(error));
      throw new OperationFailed(recorder.outcome());
    } finally {
      this.output += recorder.outcome().text;
      await settled();
    }
  }
}

export interface StackUse {
  readonly environment?: () => Readonly<Record<string, string>>;
  readonly adapter?: Adapter;
}

/** @returns a stack that is created before the tests of the calling suite, and removed after its last hook */
export function useSharedStack(
  project: string,
  configuration: () => Configuration,
  { environment = () => ({}), adapter }: StackUse = {},
): SharedStack {
  return useRunning(
    "a stack",
    () => SharedStack.create(project, configuration(), environment(), adapter),
    (stack) => stack.remove(),
  );
}

async function configured(stack: Stack, configuration: Configuration): Promise<Stack> {
  leaveOutAfterthoughts(stack);
  await stack.setAllConfig(
    Object.fromEntries(
      Object.entries(configuration).map(([key, value]) => [
        key,
        typeof value === "string" ? { value } : { value: value.secret, secret: true },
      ]),
    ),
  );
  return stack;
}

/** The API would run the CLI three times after each operation, for outputs and history that the engine has reported. */
function leaveOutAfterthoughts(stack: Stack): void {
  stack.outputs = () => Promise.resolve({});
  stack.info = () => Promise.resolve(undefined);
}

/**
 * The SDK ends an inline program shortly after the CLI, by closing a global connection. If the next program has
 * started by then, it loses its connection, and the plan deletes what it could not declare. The removal of the handler
 * for rejections is the last step.
 *
 * @returns waits until the programs that have started since have ended
 */
function programSettled(): () => Promise<void> {
  const handlers = process.listenerCount("unhandledRejection");
  const settled = (): boolean => process.listenerCount("unhandledRejection") <= handlers;
  return async () => {
    const deadline = Date.now() + longestEnd;
    await until(() => settled() || Date.now() > deadline);
    assert.ok(settled(), "the program never ends: a program has no outputs of a resource that is to fail");
  };
}

/** Milliseconds after which a program counts as stuck. */
const longestEnd = 30_000;

const nothing: Program = () => undefined;

function inline(program: Program): PulumiFn {
  return async () => {
    const result: unknown = await program();
    return isPlain(result) ? result : undefined;
  };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

interface Deployment {
  readonly resources?: readonly StateResource[];
}

function resourcesIn({ resources = [] }: Deployment = {}, wanted?: string): readonly StateResource[] {
  return resources
    .filter(({ type }) => wanted === undefined || type === wanted)
    .map(({ urn, type, id, inputs, outputs }) => ({ urn, type, id, inputs, outputs }));
}

export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
}
