import { cpSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { ensurePulumiCli } from "../../scripts/pulumi-cli";
import { type Finished, runProgram } from "../packaging/support/package";
import { repository, temporaryDirectory } from "../support/packed-library";

type Environment = Readonly<Record<string, string>>;

/** A whole example, copied as somebody does who goes on from there. */
export class CopiedExample {
  readonly path: string;

  /**
   * @param name of its directory
   * @param environment of all commands in it, besides that of this process
   */
  constructor(
    name: string,
    private readonly environment: Environment = {},
  ) {
    this.path = temporaryDirectory(`example-${name}`);
    cpSync(join(repository, "examples", name), this.path, {
      recursive: true,
      filter: (source) => !["node_modules", "dist"].includes(basename(source)),
    });
  }

  /** Puts a package in the copy where an installation would put it for a folder of the copy. */
  install(folder: string, name: string, location: string): void {
    const target = join(this.path, folder, "node_modules", name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(relative(dirname(target), join(this.path, location)), target, "junction");
  }

  /** Runs a program in a folder of the copy. */
  run(folder: string, command: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Finished> {
    const all = { ...process.env, ...this.environment, ...environment };
    return runProgram(command, join(this.path, folder), all);
  }

  /**
   * Where the CLI and its programs find what they need, with a file backend in the copy: an environment.
   *
   * @param more applied last
   */
  async pulumiEnvironment(more: Environment = {}): Promise<Environment> {
    const { environment } = await ensurePulumiCli();
    return environment({
      PULUMI_HOME: join(this.path, ".home"),
      PULUMI_BACKEND_URL: `file://${this.path}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      ...this.environment,
      ...more,
    });
  }

  /** Runs a command of the CLI in a folder of the copy. */
  async pulumi(folder: string, command: readonly string[], more: Environment = {}): Promise<Finished> {
    const { command: program } = await ensurePulumiCli();
    return this.run(folder, [program, ...command, "--non-interactive"], await this.pulumiEnvironment(more));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
