import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join, resolve } from "node:path";
import { provisioning } from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { freePort } from "./free-port";
import { ensurePulumiCli } from "./pulumi-cli";

const repository = resolve(__dirname, "..");

/** Milliseconds until the receiver starts, so that the program has to wait for it. */
const receiverDelay = 10_000;

/** Runs the quickstart as a user would, with the real CLI against the emulator. */
async function demo(): Promise<void> {
  const cli = await ensurePulumiCli();
  const emulator = await startEmulator();
  const directory = copyOfQuickstart();
  const signingKey = randomBytes(16).toString("hex");
  const receiver = createReceiver(signingKey);
  const receiverPort = await freePort();
  const pulumi = async (...args: readonly string[]): Promise<void> => {
    const shown = args.includes("--secret") ? [...args.slice(0, -1), "[secret]"] : args;
    print(`\n$ pulumi ${shown.join(" ")}`);
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
    const workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
    heading("The three services run on this machine, with one organization and one workspace");
    print(`PROVISIONING_ADDR=${emulator.provisioning.address}`);
    showService(emulator);

    heading("The quickstart creates a project, and notifications for a receiver that has not started yet");
    await pulumi("stack", "init", "demo", "--non-interactive");
    await pulumi("config", "set", "workspaceId", workspace);
    await pulumi("config", "set", "--secret", "receiverUrl", `http://127.0.0.1:${receiverPort}/runs`);
    await pulumi("config", "set", "--secret", "signingKey", signingKey);
    const delayedStart = setTimeout(() => receiver.listen(receiverPort, "127.0.0.1"), receiverDelay);
    await pulumi("up", "--yes", "--non-interactive").finally(() => clearTimeout(delayedStart));
    showService(emulator);

    heading("A run completes in the workspace, and the receiver is notified");
    await emulator.provisioning.sendNotification({ workspace, trigger: "run:completed" });

    heading("The program renames the project");
    await pulumi("config", "set", "projectName", "payments-staging");
    await pulumi("preview", "--diff", "--non-interactive");
    await pulumi("up", "--yes", "--skip-preview", "--non-interactive");
    showService(emulator);

    heading("Everything is deleted again");
    await pulumi("destroy", "--yes", "--skip-preview", "--non-interactive");
    showService(emulator);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
    await emulator.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The copy stays within the repository, where Node.js finds its dependencies. */
function copyOfQuickstart(): string {
  const parent = join(repository, ".cache");
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, "demo-"));
  cpSync(join(repository, "examples", "quickstart"), directory, { recursive: true });
  return directory;
}

function createReceiver(signingKey: string): Server {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      try {
        const notification = provisioning.webhook.parse(Buffer.concat(chunks), {
          signature: provisioning.webhook.signatureOf(request.headers),
          token: signingKey,
        });
        const what = notification.kind === "run" ? notification.notifications[0]?.trigger : notification.kind;
        print(`The receiver got a signed notification: ${what ?? "of an unknown kind"}`);
        response.writeHead(200).end();
      } catch (error) {
        response.writeHead(401).end(String(error));
      }
    });
  });
}

function showService(emulator: Emulator): void {
  const { projects, notificationConfigurations: notifications } = emulator.inspect().provisioning;
  print("\nIn the service now:");
  print(`  projects       ${projects.map(({ id, name }) => `${name} (${id})`).join(", ")}`);
  print(`  notifications  ${notifications.map(({ id, name }) => `${name} (${id})`).join(", ") || "none"}`);
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
