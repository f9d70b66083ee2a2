import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts";
import { testCli, type TestCli } from "./cli";

export interface Ended {
  readonly succeeded: boolean;
  readonly text: string;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Aborting it sends SIGINT to the process group of the CLI, as Ctrl-C does. */
  readonly interrupted?: AbortSignal;
}

/** A program with its own stack and file backend, used from a shell as users do. */
export class ProgramDirectory {
  /** What the commands have shown. */
  output = "";

  private constructor(
    readonly path: string,
    private readonly cli: TestCli,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** @param program JavaScript that can require the library */
  static ofJavaScript(
    name: string,
    program: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    const files = {
      "Pulumi.yaml": `name: ${name}\nruntime: nodejs\nmain: index.js\n`,
      "package.json": JSON.stringify({ name, private: true }),
      "index.js": program,
    };
    return ProgramDirectory.ofFiles(name, files, environment);
  }

  /** @param files texts by file name */
  static ofFiles(
    name: string,
    files: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    return ProgramDirectory.create(name, environment, (directory) => {
      for (const [file, text] of Object.entries(files)) {
        directory.write(file, text);
      }
    });
  }

  /** @param example the name of its directory */
  static ofExample(
    example: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    return ProgramDirectory.create(`example-${example}`, environment, ({ path }) => {
      cpSync(join(repository, "examples", example), path, {
        recursive: true,
        filter: (source) => !source.includes("node_modules"),
      });
    });
  }

  private static async create(
    name: string,
    environment: Readonly<Record<string, string>>,
    fill: (directory: ProgramDirectory) => void,
  ): Promise<ProgramDirectory> {
    const directory = new ProgramDirectory(temporaryDirectory(name), await testCli(), environment);
    fill(directory);
    await directory.pulumi(["stack", "init", "test"]);
    return directory;
  }

  write(name: string, text: string): void {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async pulumi(
    command: readonly string[],
    { environment = {}, interrupted }: CommandOptions = {},
  ): Promise<Ended> {
    const child = spawn(this.cli.command.command, [...command, "--non-interactive"], {
      cwd: this.path,
      env: this.cli.environment({
        PULUMI_HOME: join(this.path, "home"),
        PULUMI_BACKEND_URL: `file://${this.path}`,
        PULUMI_CONFIG_PASSPHRASE: "correct horse",
        ...this.environment,
        ...environment,
      }),
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, because Ctrl-C reaches the whole group.
      detached: interrupted !== undefined,
    });
    interrupted?.addEventListener("abort", () => process.kill(-(child.pid ?? Number.NaN), "SIGINT"));
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    const [status] = (await once(child, "close")) as [number | null];
    this.output += text;
    return { succeeded: status === 0, text };
  }

  /** @returns what a command shows, which must succeed */
  async run(...command: readonly string[]): Promise<string> {
    const { succeeded, text } = await this.pulumi(command);
    assert.ok(succeeded, text);
    return text;
  }

  /** An output in clear, since that is asked for. */
  async outputOf(name: string): Promise<string> {
    const { output } = this;
    const text = await this.run("stack", "output", "--show-secrets", name);
    this.output = output;
    return text.trim();
  }

  /** Includes state with its history, and the logs of the CLI. */
  files(): Promise<string> {
    return textsIn(this.path);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
