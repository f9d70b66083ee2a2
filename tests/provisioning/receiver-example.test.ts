import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { notificationConfigurationDefinition } from "../../sdk/provisioning/notification-configuration";
import { until } from "../engine/support/processes";
import { repository } from "../support/packed-library";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

const directory = join(repository, "examples", "receiver");

/** The receiver of the example, started as its own `npm start` does. */
class ExampleReceiver {
  output = "";
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;

  constructor(environment: Readonly<Record<string, string>>) {
    const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
      scripts: { start: string };
    };
    const [command, ...parameters] = scripts.start.split(" ");
    assert.equal(command, "node");
    this.child = spawn(process.execPath, parameters, {
      cwd: directory,
      env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (this.output += chunk));
    }
  }

  /** Waits until it has said something. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    await until(() => pattern.test(this.output) || this.child.exitCode !== null);
    return pattern.exec(this.output) ?? assert.fail(this.output);
  }

  async ended(): Promise<number | null> {
    const [code] = (await once(this.child, "close")) as [number | null];
    return code;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGKILL");
      await this.ended();
    }
  }
}

describe("the example of a receiver", function () {
  // Its types are checked when it starts.
  this.timeout(90_000);

  const token = "canary-signing-key";
  const emulator = useEmulator({ resets: false });
  const product = useEmulator({ dialect: { provisioning: "hashicorp" } });
  let receiver: ExampleReceiver;
  let address: string;
  let workspace: string;

  before(async () => {
    receiver = new ExampleReceiver({ SIGNING_KEY: token });
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
    const [, port = ""] = await receiver.said(/^listening on port (\d+)$/m);
    address = `http://127.0.0.1:${port}/`;
  });
  after(() => receiver.stop());

  const trigger = "run:completed";
  const sent = () => ({ name: "a", enabled: true, url: address, token, triggers: [trigger] });
  const send = async (more: object = {}): Promise<(number | null)[]> => {
    const deliveries = await emulator.provisioning.sendNotification({ workspace, trigger, ...more });
    return deliveries.map(({ status }) => status);
  };

  it("the example of a receiver lets itself be verified", async () => {
    const args = { workspaceId: workspace, destinationType: "generic", ...sent() };
    await FakeEngine.create(notificationConfigurationDefinition, emulator, args);
    await receiver.said(/^verified$/m);
    const [configuration] = emulator.inspect().provisioning.notificationConfigurations;
    assert.equal(configuration?.deliveryResponses[0]?.code, "200");
  });

  it("the example of a receiver reports runs, and accepts everything else that is signed", async () => {
    assert.deepEqual(await send({ message: "all is well", runId: "run-7" }), [200]);
    const [line] = await receiver.said(/^run:completed.*$/m);
    assert.match(line, /^run:completed in acme\/web: all is well \(https?:.*\/runs\/run-7\)$/);
    assert.deepEqual(await send({ body: { trigger: "assessment:drifted" } }), [200]);
    await receiver.said(/^a notification of another kind$/m);
  });

  it("the example of a receiver takes what a service in the other dialect signs", async () => {
    product.provisioning.addOrganization({ name: "umbrella" });
    const { id } = product.provisioning.addWorkspace({ organization: "umbrella", name: "lab" });
    product.provisioning.addNotificationConfiguration({ workspace: id, ...sent() });
    const [delivery] = await product.provisioning.sendNotification({ workspace: id, trigger });
    assert.equal(delivery?.status, 200);
    await receiver.said(/^run:completed in umbrella\/lab/m);
  });

  it("the example of a receiver refuses what is signed with another key, or not at all", async () => {
    const [configuration] = emulator.inspect().provisioning.notificationConfigurations;
    const id = configuration?.id ?? assert.fail("there is no configuration");
    for (const [key, complaint] of [
      ["another key", /^refused: The signature of the notification is not valid/m],
      [null, /^refused: The notification is not signed/m],
    ] as const) {
      emulator.provisioning.changeNotificationConfiguration(id, { token: key });
      assert.deepEqual(await send({ message: "forged" }), [401]);
      await receiver.said(complaint);
    }
    assert.ok(!receiver.output.includes("forged"));
    assert.ok(!receiver.output.includes(token));
  });

  it("the example of a receiver does not start without a key, which anybody could sign with", async () => {
    const keyless = new ExampleReceiver({ SIGNING_KEY: "" });
    assert.equal(await keyless.ended(), 1);
    assert.match(keyless.output, /Set SIGNING_KEY to the token of the notification configuration\./);
  });
});
