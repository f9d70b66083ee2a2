import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts";
import { testCli, type TestCli } from "./cli";

/** How a command has ended. */
export interface Ended {
  readonly succeeded: boolean;
  /** Everything that it printed. */
  readonly text: string;
}

/** How to run a command. */
export interface CommandOptions {
  /** Of this command, beside that of all. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What it reads from its standard input. Default: nothing. */
  readonly input?: string;
  /** Ctrl-C is pressed when it is aborted: as a terminal does, for the CLI and all in its group. */
  readonly interrupted?: AbortSignal;
}

/** A program in a directory of its own with a stack in a file backend of its own, used from a shell as users do. */
export class ProgramDirectory {
  /** Everything that every command has printed. */
  output = "";

  private constructor(
    readonly path: string,
    private readonly cli: TestCli,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param program JavaScript; it can require the library
   * @param environment of every command
   */
  static ofJavaScript(
    name: string,
    program: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    return ProgramDirectory.create(name, environment, (directory) => {
      directory.write("Pulumi.yaml", `name: ${name}\nruntime: nodejs\nmain: index.js\n`);
      directory.write("package.json", JSON.stringify({ name, private: true }));
      directory.write("index.js", program);
    });
  }

  /**
   * A TypeScript project whose `index.ts` is still to be written.
   *
   * @param environment of every command
   */
  static ofTypeScript(
    name: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    return ProgramDirectory.create(name, environment, (directory) => {
      directory.write("Pulumi.yaml", `name: ${name}\nruntime: nodejs\nmain: index.ts\n`);
      directory.write("package.json", JSON.stringify({ name, private: true, main: "index.ts" }));
      directory.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    });
  }

  /**
   * A program in any language.
   *
   * @param files their texts by name
   * @param environment of every command
   */
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

  /**
   * A copy of an example, as somebody makes it who goes on from there.
   *
   * @param example the name of its directory
   * @param environment of every command
   */
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

  read(name: string): string {
    return readFileSync(join(this.path, name), "utf8");
  }

  /** Changes a file; the text to replace has to be there once. */
  replace(name: string, former: string, text: string): void {
    const parts = this.read(name).split(former);
    if (parts.length !== 2) {
      throw new Error(`${name} holds ${JSON.stringify(former)} ${parts.length - 1} times`);
    }
    this.write(name, parts.join(text));
  }

  /** Runs a command of the CLI. */
  async pulumi(
    command: readonly string[],
    { environment = {}, input = "", interrupted }: CommandOptions = {},
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
      stdio: ["pipe", "pipe", "pipe"],
      // A group of its own, for Ctrl-C reaches the whole group.
      detached: interrupted !== undefined,
    });
    interrupted?.addEventListener("abort", () => process.kill(-(child.pid ?? Number.NaN), "SIGINT"));
    child.stdin.end(input);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    const [status] = (await once(child, "close")) as [number | null];
    this.output += text;
    return { succeeded: status === 0, text };
  }

  /** Everything in the directory: what the commands have written, state with its history, the CLI's own logs. */
  files(): Promise<string> {
    return textsIn(this.path);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** As `pulumi new typescript` has them, where it matters. */
const compilerOptions = {
  strict: true,
  target: "es2020",
  module: "node16",
  moduleResolution: "node16",
  types: ["node"],
  skipLibCheck: true,
};
