import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import * as settings from "@pulumi/pulumi/runtime/settings";
import { LocalWorkspace, type PulumiFn, Stack } from "@pulumi/pulumi/automation";
import { temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts";
import { type Adapter, adapterConfiguration, projectPlugins } from "./adapter";
import { testCli } from "./cli";
import { type Outcome, OutcomeRecorder } from "./outcome";
import { until } from "./processes";
import type { Configuration } from "./surroundings";

export type { Outcome } from "./outcome";

/**
 * The SDK leaves a connection open behind some programs, which for ever tries to reach a CLI that has ended. Shared,
 * as is usual, its failure would be that of every later connection to the same port, and the CLIs of a whole run get
 * some ports again.
 */
const connectionOptions = (settings as { readonly grpcClientOptions?: Record<string, unknown> })
  .grpcClientOptions;
assert.ok(connectionOptions, "the SDK has its connections' options elsewhere now");
connectionOptions["grpc.use_local_subchannel_pool"] = 1;

/**
 * What a program does; run by the real CLI, its resources managed by the engine's real provider process. A plain object
 * that it returns, or resolves to, is the stack's outputs.
 */
export type Program = () => unknown;

/** How to run one operation of the CLI. */
export interface OperationOptions {
  /** Presses Ctrl-C, as SIGINT to the CLI, when it is aborted. */
  readonly signal?: AbortSignal;
  /** The URNs of resources to replace although nothing asks for it. */
  readonly replace?: string[];
  /** How many resources the engine works on at once. Default: the engine's own. */
  readonly parallel?: number;
  /** Goes on with the others when one resource fails. Default: begins nothing more then. */
  readonly continueOnError?: boolean;
  /** Reads every resource first. */
  readonly refresh?: boolean;
}

/** How to make a plan. */
export interface PreviewOptions {
  /** Reads every resource first, and plans with what it is then; state stays. */
  readonly refresh?: boolean;
}

/** How to run an operation that can do without the program. */
export interface StateOperationOptions extends OperationOptions {
  /** Runs it, so that today's configuration counts. Default: the configuration that state remembers. */
  readonly program?: Program;
}

/** An object that `pulumi import` is to bring into state. */
export interface ImportedObject {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  /** The name of its provider, where it has one of its own. */
  readonly provider?: string;
}

/** An operation of the CLI that failed, with everything that it printed. */
export class OperationFailed extends Error {
  constructor(readonly text: string) {
    super(text);
  }
}

/**
 * A stack in a file backend of its own, driven through the Automation API. Everything that the CLI prints is kept,
 * for what must never be in it.
 */
export class TestStack {
  /** Everything that every operation has printed. */
  output = "";

  private constructor(
    private readonly project: string,
    private readonly stack: Stack,
    private readonly directory: string,
  ) {}

  /**
   * @param project also the project's name; stacks of different tests run beside each other
   * @param configuration stack configuration by full key
   * @param environment for the CLI and what it starts
   */
  static async create(
    project: string,
    configuration: Configuration,
    environment: Readonly<Record<string, string>> = {},
    adapter: Adapter = "dynamic",
  ): Promise<TestStack> {
    const directory = temporaryDirectory(project);
    // Else the CLI asks git about the whole repository around it at each operation.
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
    return new TestStack(project, await configured(stack, whole), directory);
  }

  /** Has the project's resources managed the other way from now on, as `use-plugin` and `use-dynamic` do. */
  async useAdapter(adapter: Adapter): Promise<void> {
    const project = await this.stack.workspace.projectSettings();
    await this.stack.workspace.saveProjectSettings({ ...project, ...projectPlugins(adapter) });
    await (adapter === "plugin"
      ? this.setConfiguration("trivium:adapter", "plugin")
      : this.removeConfiguration("trivium:adapter"));
  }

  /** Another stack of the same project, in the same backend; it goes when this one is removed. */
  async beside(name: string, configuration: Configuration, adapter: Adapter = "dynamic"): Promise<TestStack> {
    const stack = await Stack.create(name, this.stack.workspace);
    const whole = { ...configuration, ...adapterConfiguration(adapter) };
    return new TestStack(this.project, await configured(stack, whole), this.directory);
  }

  /** Moves the entries of resources to another stack's state, with `pulumi state move`. */
  async moveTo({ stack: destination }: TestStack, urns: readonly string[]): Promise<void> {
    const ends = ["--source", this.stack.name, "--dest", destination.name];
    await this.command(["state", "move", "--yes", ...ends, ...urns]);
  }

  /**
   * Runs a command of the CLI for which the Automation API has no word.
   *
   * @returns what it printed
   */
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

  /** Runs a command of the library in the project's directory, with the CLI on the path. */
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

  /** Takes away the lock that a CLI which was killed has left. */
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
    return this.operate((told) =>
      this.stack.preview({
        program: inline(program),
        ...told,
        diff: true,
        ...options,
        expectNoChanges: true,
      }),
    );
  }

  preview(program: Program): Promise<Outcome> {
    return this.operate((told) => this.stack.preview({ program: inline(program), ...told, diff: true }));
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

  /** Runs `pulumi import`. */
  async import(objects: readonly ImportedObject[]): Promise<Outcome> {
    const providers = (await this.resources()).filter(({ type }) => type.startsWith("pulumi:providers:"));
    const nameTable = Object.fromEntries(
      providers.map(({ urn }) => [urn.slice(urn.lastIndexOf("::") + 2), urn]),
    );
    const options = { resources: [...objects], nameTable, protect: false, generateCode: false };
    return this.operate(({ onOutput }) => this.stack.import({ ...options, onOutput }));
  }

  /** Every state that the stack has had, with its history, as the backend stores them: secrets are encrypted. */
  state(): Promise<string> {
    return textsIn(join(this.directory, ".pulumi"));
  }

  /** The resources in state, of one type or all. */
  async resources(type?: string): Promise<readonly StateResource[]> {
    const { deployment } = (await this.stack.exportStack()) as {
      deployment: { resources?: readonly StateResource[] };
    };
    return (deployment.resources ?? [])
      .filter((resource) => type === undefined || resource.type === type)
      .map(({ urn, type, id, inputs, outputs }) => ({ urn, type, id, inputs, outputs }));
  }

  /** The ids of the resources in state, of one type; read from the backend, without the CLI. */
  async ids(type: string): Promise<readonly string[]> {
    return [...(await this.idsByName(type)).values()];
  }

  /** The same by the resources' names in the program. */
  async idsByName(type: string): Promise<ReadonlyMap<string, string>> {
    return new Map(
      (await this.entries(type)).flatMap(({ urn, id }) =>
        id === undefined ? [] : [[urn.slice(urn.lastIndexOf("::") + 2), id] as const],
      ),
    );
  }

  /** The URNs of the resources in state, of one type; read from the backend, without the CLI. */
  async urns(type: string): Promise<string[]> {
    return (await this.entries(type)).map(({ urn }) => urn);
  }

  /** The newest state as the backend stores it: secrets are encrypted. */
  stateFile(): Promise<string> {
    return readFile(this.statePath, "utf8");
  }

  /** Puts a state file that another stack of the same project has left in the place of this stack's own. */
  async replaceStateFile(text: string): Promise<void> {
    await writeFile(this.statePath, text);
  }

  /** Changes the resources in state; what is secret in them is in clear, in the engine's wrapping. */
  async rewriteResources(
    rewrite: (resource: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const exported = await this.stack.exportStack();
    const deployment = exported.deployment as {
      readonly resources?: readonly Readonly<Record<string, unknown>>[];
    };
    const resources = (deployment.resources ?? []).map(rewrite);
    await this.stack.importStack({ ...exported, deployment: { ...deployment, resources } });
  }

  /**
   * Makes the engine forget resources without deleting them.
   *
   * @param forgets whether it is to forget one. Default: all
   */
  async forgetResources(forgets: (resource: Entry) => boolean = () => true): Promise<void> {
    const exported = await this.stack.exportStack();
    const deployment = exported.deployment as { resources?: readonly Entry[] };
    const resources = (deployment.resources ?? []).filter((resource) => !forgets(resource));
    await this.stack.importStack({ ...exported, deployment: { ...deployment, resources } });
  }

  /** The values of the stack's outputs. */
  async outputs(): Promise<Record<string, { value: unknown; secret: boolean }>> {
    return await this.stack.workspace.stackOutputs(this.stack.name);
  }

  async setConfiguration(key: string, value: string, secret = false): Promise<void> {
    await this.stack.setConfig(key, { value, secret });
  }

  async removeConfiguration(key: string): Promise<void> {
    await this.stack.removeConfig(key);
  }

  /** Sets variables for the CLI and what it starts from now on; `undefined` takes one away. */
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

  private async entries(type: string): Promise<readonly Entry[]> {
    const { checkpoint } = JSON.parse(await this.stateFile()) as Checkpoint;
    return (checkpoint.latest?.resources ?? []).filter((resource) => resource.type === type);
  }

  private get statePath(): string {
    return join(this.directory, ".pulumi", "stacks", this.project, `${this.stack.name}.json`);
  }

  /** The API takes the program of these operations from the workspace only. */
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
      throw new OperationFailed(recorder.outcome().text);
    } finally {
      this.output += recorder.outcome().text;
      await settled();
    }
  }
}

/** How a suite uses a stack. */
export interface StackUse {
  /** For the CLI and what it starts. */
  readonly environment?: () => Readonly<Record<string, string>>;
  /** Default: dynamic resources. */
  readonly adapter?: Adapter;
}

/**
 * A stack for the suite that calls this, made before its tests and removed after its last hook.
 *
 * @param project also the project's name
 * @param configuration stack configuration by full key
 * @returns the stack, which can be used as soon as tests run
 */
export function useStack(
  project: string,
  configuration: () => Configuration,
  { environment = () => ({}), adapter }: StackUse = {},
): TestStack {
  let stack: TestStack | undefined;
  before("make the stack", async function () {
    // The first stack of a process may have to build the CLI.
    this.timeout(900_000);
    const made = (stack = await TestStack.create(project, configuration(), environment(), adapter));
    this.test?.parent?.afterAll("remove the stack", () => made.remove());
  });
  return new Proxy(Object.create(TestStack.prototype) as TestStack, {
    get(_target, name) {
      assert.ok(stack, "The stack exists while tests run: use it in a test or a hook.");
      const member: unknown = Reflect.get(stack, name);
      return typeof member === "function" ? (member.bind(stack) as unknown) : member;
    },
  });
}

/** Configures a new stack. */
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

/**
 * The API asks the CLI for the stack's outputs and its history after each operation: three runs of the CLI, which
 * take as long as the operation, for what the engine has told already.
 */
function leaveOutAfterthoughts(stack: Stack): void {
  stack.outputs = () => Promise.resolve({});
  stack.info = () => Promise.resolve(undefined);
}

/**
 * The SDK ends an inline program a moment after the CLI has ended, by closing a connection that is global: if the
 * next program has begun by then, its connection is closed, that failure is swallowed, and the plan deletes what
 * the program did not come to declare. The last thing it does is to take away its handler for rejections.
 *
 * @returns waits until programs begun since have ended in this sense
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

/** Milliseconds after which a program that has not ended by itself never will. */
const longestEnd = 30_000;

const nothing: Program = () => undefined;

/** A program as the Automation API takes it. */
function inline(program: Program): PulumiFn {
  return async () => {
    const result: unknown = await program();
    return isPlain(result) ? result : undefined;
  };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** A stack as the file backend stores it. */
interface Checkpoint {
  readonly checkpoint: {
    readonly latest?: {
      readonly resources?: readonly Entry[];
    };
  };
}

interface Entry {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
}

/** A resource in state; its secrets are in clear, in the engine's wrapping. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id: string | undefined;
  readonly inputs: Readonly<Record<string, unknown>> | undefined;
  readonly outputs: Readonly<Record<string, unknown>> | undefined;
}
