import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Finished, runProgram } from "../../packaging/support/package";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { testCli } from "./cli";

type Environment = Readonly<Record<string, string>>;

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
  readonly path: string;

  /** @param environment of all commands, besides that of this process */
  private constructor(
    name: string,
    private readonly environment: Environment,
  ) {
    this.path = temporaryDirectory(name);
  }

  /** @param program JavaScript that can require the library */
  static ofJavaScript(name: string, program: string, environment: Environment): Promise<ProgramDirectory> {
    const files = {
      "Pulumi.yaml": `name: ${name}\nruntime: nodejs\nmain: index.js\n`,
      "package.json": JSON.stringify({ name, private: true }),
      "index.js": program,
    };
    return ProgramDirectory.ofFiles(name, files, environment);
  }

  /** @param files texts by file name */
  static async ofFiles(
    name: string,
    files: Environment,
    environment: Environment,
  ): Promise<ProgramDirectory> {
    const directory = new ProgramDirectory(name, environment);
    Object.entries(files).forEach(([file, text]) => directory.write(file, text));
    await directory.succeed(["stack", "init", "test"]);
    return directory;
  }

  /** A copy of a whole example, as somebody makes it who goes on from there. It has no stack. */
  static ofExample(example: string, environment: Environment = {}): ProgramDirectory {
    const directory = new ProgramDirectory(`example-${example}`, environment);
    cpSync(join(repository, "examples", example), directory.path, {
      recursive: true,
      filter: (source) => !["node_modules", "dist"].includes(basename(source)),
    });
    return directory;
  }

  write(name: string, text: string): void {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
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

  /** An output in clear, which `output` does not have, since that is asked for. */
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

/** The command that sets configuration; keys may be paths. */
export function configSet(plain: Environment, secret: Environment = {}): readonly string[] {
  const given = (kind: string, values: Environment) =>
    Object.entries(values).flatMap(([key, value]) => [kind, `${key}=${value}`]);
  return ["config", "set-all", "--path", ...given("--plaintext", plain), ...given("--secret", secret)];
}
