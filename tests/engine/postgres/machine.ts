import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-trivium/testing";
import { ensurePulumiCli } from "../../../scripts/pulumi-cli";
import { CopiedExample, type Finished } from "../../examples/copied-example";
import { testCli } from "../support/cli";
import type { PostgresServer } from "./server";

const foundation = "foundation";
const stackOfFoundation = "production";

/** Somebody's machine, or one that a pipeline runs on: a clone of the estate, and a home of the CLI of its own. */
export class Machine {
  private constructor(
    private readonly example: CopiedExample,
    private readonly backend: string,
  ) {}

  /** A new one, with the tokens of the services and of the database in its environment. */
  static async create(server: PostgresServer, emulator: Emulator): Promise<Machine> {
    const { NODE_OPTIONS = "" } = (await testCli()).environment({});
    const example = new CopiedExample("estate", {
      ...emulator.environment,
      ...server.environment,
      NODE_OPTIONS,
      // Which backend is used is what the machine has logged in to.
      PULUMI_BACKEND_URL: "",
      // Of this depends how many connections the CLI has: with too few it waits for itself.
      GOMAXPROCS: "16",
      // The check of the repository has looked at the programs' types.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    });
    return new Machine(example, server.url);
  }

  /** The directory with the clone and the home. */
  get path(): string {
    return this.example.path;
  }

  /** Logs in to the backend in the database. */
  async login(): Promise<string> {
    return expectSuccess(await this.example.pulumi(".", ["login", this.backend]));
  }

  /** Writes the settings of a team's stack, as `pulumi config set` does one by one. */
  writeSettings(team: string, config: Readonly<Record<string, unknown>>): void {
    // What is JSON is YAML too.
    writeFileSync(join(this.path, "team", `Pulumi.${team}.yaml`), JSON.stringify({ config }));
  }

  /** Has the settings of all stacks as another machine has them: they are files in the repository. */
  pull(from: Machine): void {
    for (const project of [foundation, "team"]) {
      const settings = readdirSync(join(from.path, project)).filter((name) =>
        /^Pulumi\..+\.yaml$/.test(name),
      );
      settings.forEach((name) =>
        copyFileSync(join(from.path, project, name), join(this.path, project, name)),
      );
    }
  }

  /**
   * Runs a command on the stack of a team, or on that of the foundation.
   *
   * @param stack the name of the team, or `foundation`
   */
  try(stack: string, ...command: readonly string[]): Promise<Finished> {
    return this.example.pulumi(...parametersOf(stack, command));
  }

  /** The same, for what has to go well; returns what was printed. */
  async pulumi(stack: string, ...command: readonly string[]): Promise<string> {
    return expectSuccess(await this.try(stack, ...command));
  }

  /** Begins a command whose end is not waited for. */
  async begin(stack: string, ...command: readonly string[]): Promise<ChildProcess> {
    const [folder, parameters] = parametersOf(stack, command);
    const { command: program } = await ensurePulumiCli();
    return spawn(program, [...parameters, "--non-interactive"], {
      cwd: join(this.path, folder),
      env: { ...process.env, ...(await this.example.pulumiEnvironment()) },
      stdio: "ignore",
    });
  }

  /** Throws the machine away. */
  remove(): void {
    this.example.remove();
  }
}

function parametersOf(stack: string, command: readonly string[]): [folder: string, parameters: string[]] {
  return stack === foundation
    ? [foundation, [...command, "--stack", stackOfFoundation]]
    : ["team", [...command, "--stack", stack]];
}

function expectSuccess({ succeeded, text }: Finished): string {
  if (!succeeded) {
    throw new Error(text);
  }
  return text;
}
