import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { ensurePulumiCli } from "./pulumi-cli";

const repository = resolve(__dirname, "..");

/** Runs the quickstart as a user would, with the real CLI against the emulator, and shows what happens where. */
async function demo(): Promise<void> {
  const cli = await ensurePulumiCli();
  const emulator = await startEmulator();
  const directory = copyOfQuickstart();
  const pulumi = async (...args: readonly string[]): Promise<void> => {
    print(`\n$ pulumi ${args.join(" ")}`);
    const child = spawn(cli.command, args, {
      cwd: directory,
      env: cli.environment({
        ...emulator.environment,
        PULUMI_HOME: join(directory, ".pulumi-home"),
        PULUMI_BACKEND_URL: `file://${directory}`,
        PULUMI_CONFIG_PASSPHRASE: "demo",
      }),
      stdio: ["ignore", "inherit", "inherit"],
    });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) {
      throw new Error(`pulumi ${args[0] ?? ""} failed`);
    }
  };

  try {
    emulator.provisioning.addOrganization({ name: "acme" });
    heading("The three services run on this machine, with one organization, acme");
    print(`PROVISIONING_ADDR=${emulator.provisioning.address}`);
    showProjects(emulator);

    heading("The quickstart makes a project");
    await pulumi("stack", "init", "demo", "--non-interactive");
    await pulumi("up", "--yes", "--non-interactive");
    showProjects(emulator);

    heading("The program asks for another name");
    await pulumi("config", "set", "projectName", "payments-staging");
    await pulumi("preview", "--diff", "--non-interactive");
    await pulumi("up", "--yes", "--skip-preview", "--non-interactive");
    showProjects(emulator);

    heading("Everything is deleted again");
    await pulumi("destroy", "--yes", "--skip-preview", "--non-interactive");
    showProjects(emulator);
  } finally {
    await emulator.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A user copies an example and goes on from there; here it stays where its dependencies are found. */
function copyOfQuickstart(): string {
  const parent = join(repository, ".cache");
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "demo-"));
  cpSync(join(repository, "examples", "quickstart"), directory, { recursive: true });
  return directory;
}

function showProjects(emulator: Emulator): void {
  const { projects } = emulator.inspect().provisioning;
  print(`\nIn the service now: ${projects.map(({ id, name }) => `${name} (${id})`).join(", ")}`);
}

function heading(text: string): void {
  print(`\n\n== ${text}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

demo().catch((error: unknown) => {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
