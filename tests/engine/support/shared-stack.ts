import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as settings from "@pulumi/pulumi/runtime/settings";
import {
  LocalWorkspace,
  type PreviewOptions,
  type PulumiFn,
  Stack,
  type UpOptions,
} from "@pulumi/pulumi/automation";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts";
import { useRunning } from "../../support/use-running";
import { type Adapter, projectPlugins } from "./adapter";
import { testCli } from "./cli";
import type { Configuration } from "./configuration";
import { nameIn, type Outcome, recordOutcome } from "./outcome";
import { until } from "./processes";

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

interface StateOperation {
  readonly signal?: AbortSignal;
  /** Runs it, so that the current configuration applies. Default: the configuration in state. */
  readonly program?: Program;
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
      { stackName: "test", projectName: project, program: inline() },
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
    return new SharedStack(project, await configured(stack, configuration, adapter), directory);
  }

  /** As `use-plugin` and `use-dynamic` do. */
  async useAdapter(adapter: Adapter): Promise<void> {
    const project = await this.stack.workspace.projectSettings();
    await this.stack.workspace.saveProjectSettings({ ...project, ...projectPlugins(adapter) });
    await (adapter === "plugin"
      ? this.setConfiguration("trivium:adapter", "plugin")
      : this.removeConfiguration("trivium:adapter"));
  }

  /** Another stack of the project. */
  async beside(name: string, configuration: Configuration, adapter: Adapter): Promise<SharedStack> {
    const stack = await Stack.create(name, this.stack.workspace);
    return new SharedStack(this.project, await configured(stack, configuration, adapter), this.directory);
  }

  /** For commands that the Automation API does not have. @returns the standard output */
  command(...words: readonly string[]): Promise<string> {
    return this.execute(this.stack.workspace.pulumiCommand.command, [...words, "--non-interactive"]);
  }

  /** Runs a command of the library in the project's directory, with the CLI on PATH. */
  library(...words: readonly string[]): Promise<string> {
    const main = join(repository, "sdk", "dist", "command-line", "main.js");
    return this.execute(process.execPath, [main, ...words]);
  }

  up(program: Program, options: Omit<UpOptions, "program"> = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.stack.up({ program: inline(program), ...told, diff: true, ...options }),
    );
  }

  /** @throws OperationFailed when the plan shows a change */
  previewWithoutChanges(program: Program, options: { readonly refresh?: boolean } = {}): Promise<Outcome> {
    return this.preview(program, { ...options, expectNoChanges: true });
  }

  preview(program: Program, options: Omit<PreviewOptions, "program"> = {}): Promise<Outcome> {
    return this.operate((told) =>
      this.stack.preview({ program: inline(program), ...told, diff: true, ...options }),
    );
  }

  refresh(options?: StateOperation): Promise<Outcome> {
    return this.operateOnState("refresh", options);
  }

  destroy(options?: StateOperation): Promise<Outcome> {
    return this.operateOnState("destroy", options);
  }

  /** Every state of the stack, as the backend stores it: secrets are encrypted. */
  state(): Promise<string> {
    return textsIn(join(this.directory, ".pulumi"));
  }

  /** The backend's file: secrets are encrypted. */
  get statePath(): string {
    return join(this.directory, ".pulumi", "stacks", this.project, `${this.stack.name}.json`);
  }

  /** From the backend's file, without the CLI. */
  async resources(type?: string): Promise<readonly StateResource[]> {
    const { checkpoint } = JSON.parse(await readFile(this.statePath, "utf8")) as {
      checkpoint: { latest?: Deployment };
    };
    return resourcesIn(checkpoint.latest, type);
  }

  /** With secrets in plain text, in the engine's wrapping. */
  async resourcesInClear(type?: string): Promise<readonly StateResource[]> {
    const { deployment } = (await this.stack.exportStack()) as { deployment: Deployment };
    return resourcesIn(deployment, type);
  }

  async idsByName(type: string): Promise<ReadonlyMap<string, string>> {
    const resources = await this.resources(type);
    return new Map(resources.flatMap(({ urn, id }) => (id === undefined ? [] : [[nameIn(urn), id]])));
  }

  async urns(type: string): Promise<string[]> {
    return (await this.resources(type)).map(({ urn }) => urn);
  }

  /** Removes resources from state without deleting them. Default: all. */
  async forgetResources(forgets: (resource: StateResource) => boolean = () => true): Promise<void> {
    const exported = await this.stack.exportStack();
    const deployment = exported.deployment as Deployment;
    const resources = (deployment.resources ?? []).filter((resource) => !forgets(resource));
    await this.stack.importStack({ ...exported, deployment: { ...deployment, resources } });
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

  /** For the CLI and its child processes from now on. */
  setEnvironment(variables: Readonly<Record<string, string>>): void {
    const { workspace } = this.stack;
    workspace.envVars = { ...workspace.envVars, ...variables };
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async execute(program: string, words: readonly string[]): Promise<string> {
    const { pulumiCommand, envVars } = this.stack.workspace;
    const PATH = [dirname(pulumiCommand.command), process.env.PATH].join(delimiter);
    const env = { ...process.env, ...envVars, PATH };
    const { stdout } = await promisify(execFile)(program, words, { cwd: this.directory, env });
    this.output += stdout;
    return stdout;
  }

  /** The API takes the program of these operations only from the workspace. */
  private async operateOnState(
    operation: "refresh" | "destroy",
    { program, ...options }: StateOperation = {},
  ): Promise<Outcome> {
    const { workspace } = this.stack;
    workspace.program = inline(program);
    const runProgram = program !== undefined;
    return this.operate((told) => this.stack[operation]({ ...told, ...options, runProgram })).finally(
      () => (workspace.program = inline()),
    );
  }

  private async operate(
    operation: (told: ReturnType<typeof recordOutcome>["told"]) => Promise<unknown>,
  ): Promise<Outcome> {
    const { outcome, add, told } = recordOutcome();
    const settled = programSettled();
    try {
      await operation(told);
      return outcome;
    } catch (error) {
      add(error instanceof Error ? error.message : String(error));
      throw new OperationFailed(outcome);
    } finally {
      this.output += outcome.text;
      await settled();
    }
  }
}

/** @returns a stack that is created before the tests of the calling suite, and removed after its last hook */
export function useSharedStack(
  project: string,
  configuration: () => Configuration,
  more: {
    readonly environment?: () => Readonly<Record<string, string>>;
    readonly adapter?: Adapter;
  } = {},
): SharedStack {
  return useRunning(
    "a stack",
    () => SharedStack.create(project, configuration(), more.environment?.(), more.adapter),
    (stack) => stack.remove(),
  );
}

async function configured(stack: Stack, configuration: Configuration, adapter: Adapter): Promise<Stack> {
  // The API would run the CLI three times after each operation, for what the engine has reported.
  stack.outputs = () => Promise.resolve({});
  stack.info = () => Promise.resolve(undefined);
  const ofAdapter: Configuration = adapter === "dynamic" ? {} : { "trivium:adapter": adapter };
  const values = Object.entries({ ...configuration, ...ofAdapter }).map(
    ([key, value]) =>
      [key, typeof value === "string" ? { value } : { value: value.secret, secret: true }] as const,
  );
  await stack.setAllConfig(Object.fromEntries(values));
  return stack;
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
    const deadline = Date.now() + 30_000;
    await until(() => settled() || Date.now() > deadline);
    assert.ok(settled(), "the program never ends: a program has no outputs of a resource that is to fail");
  };
}

function inline(program: Program = () => undefined): PulumiFn {
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
