import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { directoriesOnPath, isExecutable } from "../scripts/programs";
import { ensurePulumiCli, type PulumiInstallation } from "../scripts/pulumi-cli";
import type { ResourceClass } from "./programs/arguments";
import type { Service } from "./service";

const programs = join(__dirname, "programs");
const repository = resolve(__dirname, "..");
const bridgedPlugin = "pulumi-resource-vault";

const commands = {
  up: ["up", "--yes", "--skip-preview"],
  again: ["up", "--yes", "--skip-preview", "--expect-no-changes"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
} as const;

export type Command = keyof typeof commands;

export const sides = {
  library: { title: "library", program: "library", project: {} },
  plugin: {
    title: "plugin",
    program: "library",
    project: {
      config: { "trivium:adapter": "plugin" },
      plugins: { providers: [{ name: "trivium", path: join(repository, "sdk", "plugin") }] },
    },
  },
  thin: { title: "thin", program: "thin", project: {} },
  bridged: { title: "the bridged provider", program: "bridged", project: {} },
} as const;

export type Side = keyof typeof sides;

export function isBridgedInstalled(): boolean {
  return directoriesOnPath(process.env).some((directory) => isExecutable(join(directory, bridgedPlugin)));
}

export interface Contents {
  readonly resourceClass: ResourceClass;
  readonly count: number;
  /** Whether the CLI writes state only at the end, not after each step as usual. */
  readonly savedOnce?: boolean;
}

export interface StoredResource {
  readonly type: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

export class Stack {
  readonly directory: string;
  private readonly state: string;

  private constructor(
    side: Side,
    private readonly cli: PulumiInstallation,
    private readonly service: Service,
  ) {
    this.directory = mkdtempSync(join(tmpdir(), `trivium-bench-${side}-`));
    this.state = join(this.directory, ".pulumi");
  }

  static async create(side: Side, service: Service): Promise<Stack> {
    const { program, project } = sides[side];
    const stack = new Stack(side, await ensurePulumiCli(), service);
    const { directory, state } = stack;
    // Prevents the CLI from reading this repository with git.
    mkdirSync(join(directory, ".git"));
    compilePrograms(directory);
    symlinkSync(join(repository, "node_modules"), join(directory, "node_modules"));
    const settings = {
      name: "bench",
      runtime: { name: "nodejs", options: { typescript: false } },
      main: `${program}.js`,
      backend: { url: `file://${directory}` },
      ...project,
    };
    writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify(settings));
    writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "bench", main: `${program}.js` }));
    await stack.pulumi({}, "stack", "init", "bench");
    cpSync(state, join(directory, "pristine"), { recursive: true });
    return stack;
  }

  /** Starts with an empty stack and service. @returns a function that runs a command and measures its milliseconds */
  async begin(contents: Contents): Promise<(command: Command) => Promise<number>> {
    rmSync(this.state, { recursive: true });
    cpSync(join(this.directory, "pristine"), this.state, { recursive: true });
    await this.service.empty();
    const environment = {
      ...this.service.environment,
      BENCH_CLASS: contents.resourceClass,
      BENCH_COUNT: `${contents.count}`,
      ...(contents.savedOnce === true && { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" }),
    };
    return async (command) => {
      const start = performance.now();
      await this.pulumi(environment, ...commands[command]);
      return performance.now() - start;
    };
  }

  resources(): readonly StoredResource[] {
    const file = join(this.state, "stacks", "bench", "bench.json");
    const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
      readonly checkpoint: { readonly latest?: { readonly resources?: readonly StoredResource[] } };
    };
    return (checkpoint.latest?.resources ?? []).filter(({ type }) => !type.startsWith("pulumi:"));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async pulumi(
    environment: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<void> {
    const home = { PULUMI_HOME: join(this.directory, "home"), PULUMI_CONFIG_PASSPHRASE: "bench" };
    try {
      await promisify(execFile)(this.cli.command, [...args, "--non-interactive"], {
        cwd: this.directory,
        env: this.cli.environment({ ...home, ...environment }),
        maxBuffer: 100_000_000,
      });
    } catch (error) {
      // The CLI reports errors on standard output.
      const { stdout = "" } = error as { readonly stdout?: string };
      throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}`, { cause: error });
    }
  }
}

/** Compiled in advance: the time to load a compiler would hide the difference between the sides. */
function compilePrograms(directory: string): void {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true };
  for (const file of readdirSync(programs)) {
    const { outputText } = transpileModule(readFileSync(join(programs, file), "utf8"), { compilerOptions });
    writeFileSync(join(directory, file.replace(/\.ts$/, ".js")), outputText);
  }
}

export class Bench {
  private readonly stacks = new Map<Side, Stack>();

  constructor(readonly service: Service) {}

  async stack(side: Side): Promise<Stack> {
    const stack = this.stacks.get(side) ?? (await Stack.create(side, this.service));
    this.stacks.set(side, stack);
    return stack;
  }

  close(): void {
    this.service.close();
    this.stacks.forEach((stack) => stack.remove());
  }
}
