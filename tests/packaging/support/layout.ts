import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { quickEnvironment } from "../../engine/support/cli";
import { type Finished, personsEnvironment, runProgram } from "./package";

/** Where a program in a layout runs, and its environment. */
export interface RunOptions {
  /** The folder, for layouts of several projects. @default the layout itself */
  readonly folder?: string;
  /** The directory of the Node.js. @default that of the one that runs the tests */
  readonly node?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A person's projects, installed by a package manager where nothing of this repository is in reach. */
export class Layout {
  readonly path = mkdtempSync(join(os.tmpdir(), "pulumi-trivium-layout-"));

  /** @param files by their paths; objects are written as JSON */
  constructor(files: Readonly<Record<string, unknown>>) {
    for (const [name, contents] of Object.entries(files)) {
      const file = join(this.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof contents === "string" ? contents : JSON.stringify(contents, null, 2));
    }
  }

  /** The version of an installed package, as the projects in a folder find it. */
  versionOf(name: string, folder = ""): string {
    const manifest = join(this.path, folder, "node_modules", name, "package.json");
    return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
  }

  /** Runs a program that an installed package brings (`tsc`), or `node` itself. */
  async run([program = "", ...parameters]: readonly string[], where: RunOptions = {}): Promise<Finished> {
    const directory = join(this.path, where.folder ?? "");
    const environment = {
      ...personsEnvironment(),
      PATH: [join(directory, "node_modules", ".bin"), pathFor(where)].join(delimiter),
      ...where.environment,
    };
    return runProgram([program, ...parameters], directory, environment);
  }

  /** Runs the real CLI in a folder, with a file backend there. */
  async pulumi(command: readonly string[], where: RunOptions = {}): Promise<Finished> {
    const directory = join(this.path, where.folder ?? "");
    const cli = await ensurePulumiCli({ environment: { ...personsEnvironment(), PATH: pathFor(where) } });
    const environment = quickEnvironment(cli, {
      PULUMI_HOME: join(this.path, ".home"),
      PULUMI_BACKEND_URL: `file://${directory}`,
      PULUMI_CONFIG_PASSPHRASE: "correct horse",
      ...where.environment,
    });
    return runProgram([cli.command, ...command, "--non-interactive"], directory, environment);
  }
}

function pathFor({ node = dirname(process.execPath) }: RunOptions): string {
  return [node, process.env.PATH].join(delimiter);
}
