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
import { ensurePulumiCli, type PulumiInstallation } from "../scripts/pulumi-cli";

const programs = join(__dirname, "programs");
const repository = resolve(__dirname, "..");

/** A resource as the file backend stores it. */
export interface StoredResource {
  readonly type: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** A program of the benchmark as a Pulumi project in a directory of its own, with a stack in a file backend there. */
export class PulumiProject {
  private constructor(
    private readonly cli: PulumiInstallation,
    readonly directory: string,
  ) {}

  /**
   * @param program the name of a file in `programs`
   */
  static async create(program: string): Promise<PulumiProject> {
    const cli = await ensurePulumiCli();
    const directory = mkdtempSync(join(tmpdir(), `trivium-bench-${program}-`));
    // Else the CLI asks git about the repository around it.
    mkdirSync(join(directory, ".git"));
    compilePrograms(directory);
    symlinkSync(join(repository, "node_modules"), join(directory, "node_modules"));
    const runtime = { name: "nodejs", options: { typescript: false } };
    const settings = {
      name: "bench",
      runtime,
      main: `${program}.js`,
      backend: { url: `file://${directory}` },
      plugins: { providers: [{ name: "trivium", path: join(repository, "sdk", "plugin") }] },
    };
    writeFileSync(join(directory, "Pulumi.yaml"), JSON.stringify(settings));
    writeFileSync(join(directory, "package.json"), JSON.stringify({ name: "bench", main: `${program}.js` }));
    const project = new PulumiProject(cli, directory);
    await project.pulumi({}, "stack", "init", "bench");
    cpSync(project.state, join(directory, "pristine"), { recursive: true });
    return project;
  }

  /** Puts the stack back to the start, without a resource. */
  reset(): void {
    rmSync(this.state, { recursive: true });
    cpSync(join(this.directory, "pristine"), this.state, { recursive: true });
  }

  /**
   * Runs the CLI.
   *
   * @param environment for the CLI and what it starts
   * @returns how long it took, in milliseconds
   */
  async pulumi(environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<number> {
    const begun = performance.now();
    try {
      await promisify(execFile)(this.cli.command, [...args, "--non-interactive"], {
        cwd: this.directory,
        env: this.cli.environment({
          PULUMI_HOME: join(this.directory, "home"),
          PULUMI_CONFIG_PASSPHRASE: "bench",
          ...environment,
        }),
        maxBuffer: 100_000_000,
      });
    } catch (error) {
      // The CLI says on its standard output what has gone wrong.
      const { stdout = "" } = error as { readonly stdout?: string };
      throw new Error(`pulumi ${args.join(" ")} failed:\n${stdout}`, { cause: error });
    }
    return performance.now() - begun;
  }

  /** The resources in state. */
  resources(): readonly StoredResource[] {
    const file = join(this.state, "stacks", "bench", "bench.json");
    const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
      readonly checkpoint: { readonly latest?: { readonly resources?: readonly StoredResource[] } };
    };
    return checkpoint.latest?.resources ?? [];
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private get state(): string {
    return join(this.directory, ".pulumi");
  }
}

/** To plain JavaScript, in which all programs run: to load a compiler would cost each the same, and hide the rest. */
function compilePrograms(directory: string): void {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true };
  for (const file of readdirSync(programs)) {
    const { outputText } = transpileModule(readFileSync(join(programs, file), "utf8"), { compilerOptions });
    writeFileSync(join(directory, file.replace(/\.ts$/, ".js")), outputText);
  }
}
