import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { testCli } from "./cli";
import { type Finished, runProgram } from "./run-program";

type Environment = Readonly<Record<string, string>>;
type Files = Readonly<Record<string, unknown>>;

export interface CommandOptions {
  /** Default: the directory itself. */
  readonly folder?: string;
  readonly environment?: Environment;
  /** Aborting it sends SIGINT to the process group of the CLI, as Ctrl-C does. */
  readonly interrupted?: AbortSignal;
}

/** Programs with a file backend of their own, used from a shell as users do. */
export class ProgramDirectory {
  /** What all commands of the CLI have printed. */
  output = "";

  /** @param environment of all commands, besides that of this process */
  private constructor(
    readonly path: string,
    private readonly environment: Environment,
  ) {}

  /** @param program JavaScript that can require the library */
  static ofJavaScript(name: string, program: string, environment: Environment): Promise<ProgramDirectory> {
    const files = {
      "Pulumi.yaml": `name: ${name}\nruntime: nodejs\nmain: index.js\n`,
      "package.json": { name, private: true },
      "index.js": program,
    };
    return ProgramDirectory.ofFiles(name, files, environment);
  }

  /** @param files by file name; objects are written as JSON */
  static async ofFiles(name: string, files: Files, environment: Environment): Promise<ProgramDirectory> {
    const directory = ProgramDirectory.at(temporaryDirectory(name), files, environment);
    await directory.succeed(["stack", "init", "test"]);
    return directory;
  }

  /** Where nothing of this repository is in reach. It has no stack. */
  static outside(files: Files, environment: Environment): ProgramDirectory {
    return ProgramDirectory.at(mkdtempSync(join(tmpdir(), "pulumi-trivium-layout-")), files, environment);
  }

  /** A copy of a whole example, as somebody makes it who goes on from there. It has no stack. */
  static ofExample(example: string, environment: Environment = {}): ProgramDirectory {
    const directory = new ProgramDirectory(temporaryDirectory(`example-${example}`), environment);
    cpSync(join(repository, "examples", example), directory.path, {
      recursive: true,
      filter: (source) => !["node_modules", "dist"].includes(basename(source)),
    });
    return directory;
  }

  private static at(path: string, files: Files, environment: Environment): ProgramDirectory {
    const directory = new ProgramDirectory(path, environment);
    Object.entries(files).forEach(([name, contents]) => directory.write(name, contents));
    return directory;
  }

  write(name: string, contents: unknown): void {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  }

  run(command: readonly string[], options: CommandOptions = {}): Promise<Finished> {
    const whole = { ...process.env, ...this.environment, ...options.environment };
    return runProgram(command, join(this.path, options.folder ?? ""), whole, options.interrupted);
  }

  /** Where the CLI and its programs find what they need. @param more takes precedence */
  async pulumiEnvironment(more: Environment = {}): Promise<Environment> {
    return (await testCli()).environment({
      PULUMI_HOME: join(this.path, "home"),
      PULUMI_BACKEND_URL: `file://${this.path}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      ...this.environment,
      ...more,
    });
  }

  async pulumi(command: readonly string[], options: CommandOptions = {}): Promise<Finished> {
    const { command: cli } = (await testCli()).command;
    const environment = await this.pulumiEnvironment(options.environment);
    const finished = await this.run([cli, ...command, "--non-interactive"], { ...options, environment });
    this.output += finished.text;
    return finished;
  }

  /** @throws AssertionError with what the CLI has printed when it fails */
  async succeed(command: readonly string[], options?: CommandOptions): Promise<string> {
    const { succeeded, text } = await this.pulumi(command, options);
    assert.ok(succeeded, `pulumi ${command[0] ?? ""}: ${text}`);
    return text;
  }

  /** An output in plain text, which `output` does not have, since that is asked for. */
  async outputOf(name: string): Promise<string> {
    const { output } = this;
    const text = await this.succeed(["stack", "output", "--show-secrets", name]);
    this.output = output;
    return text.trim();
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The command that sets configuration; keys can be paths. */
export function configSet(plain: Environment, secret: Environment = {}): readonly string[] {
  const given = (kind: string, values: Environment) =>
    Object.entries(values).flatMap(([key, value]) => [kind, `${key}=${value}`]);
  return ["config", "set-all", "--path", ...given("--plaintext", plain), ...given("--secret", secret)];
}
