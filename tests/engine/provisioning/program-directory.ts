import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePulumiCli, type PulumiInstallation } from "../../../scripts/pulumi-cli";
import { repository, temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts-in";

/** A program in a directory of its own, which the CLI runs as it runs a user's. */
export class ProgramDirectory {
  /** Everything that every command has printed. */
  output = "";

  private constructor(
    private readonly cli: PulumiInstallation,
    private readonly path: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /**
   * Makes the directory with a stack in a file backend of its own.
   *
   * @param program JavaScript; it can require the library
   * @param environment of every command
   */
  static async create(
    name: string,
    program: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    const path = temporaryDirectory(name);
    writeFileSync(join(path, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\nmain: index.js\n`);
    writeFileSync(join(path, "package.json"), JSON.stringify({ name, private: true }));
    writeFileSync(join(path, "index.js"), program);
    const directory = new ProgramDirectory(await ensurePulumiCli(), path, environment);
    await directory.pulumi(["stack", "init", "test"]);
    return directory;
  }

  /**
   * Copies an example, as somebody does who goes on from there, with a stack in a file backend of its own.
   *
   * @param example the name of its directory
   * @param environment of every command
   */
  static async ofExample(
    example: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ProgramDirectory> {
    const path = temporaryDirectory(`example-${example}`);
    cpSync(join(repository, "examples", example), path, {
      recursive: true,
      filter: (source) => !source.includes("node_modules"),
    });
    const directory = new ProgramDirectory(await ensurePulumiCli(), path, environment);
    await directory.pulumi(["stack", "init", "test"]);
    return directory;
  }

  /**
   * Runs a command of the CLI.
   *
   * @param interrupted Ctrl-C is pressed when it is aborted: as a terminal does, for the CLI and all in its group
   */
  async pulumi(
    command: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    interrupted?: AbortSignal,
  ): Promise<{ readonly succeeded: boolean; readonly text: string }> {
    const child = spawn(this.cli.command, [...command, "--non-interactive"], {
      cwd: this.path,
      env: this.cli.environment({
        PULUMI_HOME: join(this.path, "home"),
        PULUMI_BACKEND_URL: `file://${this.path}`,
        PULUMI_CONFIG_PASSPHRASE: "correct horse",
        ...this.environment,
        ...environment,
      }),
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, for Ctrl-C reaches the whole group.
      detached: interrupted !== undefined,
    });
    interrupted?.addEventListener("abort", () => process.kill(-(child.pid ?? Number.NaN), "SIGINT"));
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    const [code] = (await once(child, "close")) as [number | null];
    this.output += text;
    return { succeeded: code === 0, text };
  }

  /** Everything that the commands have written: state with its history, secrets encrypted, and the CLI's own logs. */
  files(): Promise<string> {
    return textsIn(this.path);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
