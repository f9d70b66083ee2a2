import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/packed-library";
import { textsIn } from "../../support/texts-in";
import { testCli, type TestCli } from "../support/cli";

/** How a command has ended. */
export interface Ended {
  readonly status: number | null;
  /** Everything that it printed. */
  readonly text: string;
}

/** A user's TypeScript project with a stack in a file backend of its own, used from a shell. */
export class UserProject {
  /** Everything that every command has printed. */
  output = "";

  private constructor(
    readonly path: string,
    private readonly cli: TestCli,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  /** @param environment of every command */
  static async create(name: string, environment: Readonly<Record<string, string>>): Promise<UserProject> {
    const path = temporaryDirectory(name);
    const project = new UserProject(path, await testCli(), environment);
    project.write("Pulumi.yaml", `name: ${name}\nruntime: nodejs\nmain: index.ts\n`);
    project.write("package.json", JSON.stringify({ name, private: true, main: "index.ts" }));
    project.write("tsconfig.json", JSON.stringify({ compilerOptions: compilerOptions, files: ["index.ts"] }));
    await project.pulumi(["stack", "init", "test"]);
    return project;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
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
  async pulumi(command: readonly string[], input = ""): Promise<Ended> {
    const child = spawn(this.cli.command.command, [...command, "--non-interactive"], {
      cwd: this.path,
      env: this.cli.environment({
        PULUMI_HOME: join(this.path, "home"),
        PULUMI_BACKEND_URL: `file://${this.path}`,
        PULUMI_CONFIG_PASSPHRASE: "correct horse",
        ...this.environment,
      }),
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end(input);
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    }
    const [status] = (await once(child, "close")) as [number | null];
    this.output += text;
    return { status, text };
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
