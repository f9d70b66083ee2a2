import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notificationConfigurationDefinition } from "../../sdk/provisioning/notification-configuration";
import { until } from "../engine/support/processes";
import { repository } from "../support/packed-library";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

const directory = join(repository, "examples", "receiver");
const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
  readonly scripts: { readonly start: string };
};

describe("the example receiver", function () {
  // Its types are checked when it starts.
  this.timeout(90_000);

  const token = "canary-signing-key";
  const workspace = "ws-web";
  const emulator = useEmulator({
    resets: false,
    seed: {
      organizations: [{ name: "acme" }],
      workspaces: [{ id: workspace, organization: "acme", name: "web" }],
    },
  });
  let output: string;
  let receiver: ChildProcess;
  let address: string;

  /** Starts it as its own `npm start` does. */
  const start = (key: string): ChildProcess => {
    const [command, ...parameters] = scripts.start.split(" ");
    assert.equal(command, "node");
    output = "";
    const child = spawn(process.execPath, parameters, {
      cwd: directory,
      env: { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: "0", SIGNING_KEY: key },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    }
    return child;
  };
  const said = async (pattern: RegExp): Promise<readonly string[]> => {
    await until(() => pattern.test(output) || receiver.exitCode !== null);
    return pattern.exec(output) ?? assert.fail(output);
  };

  before(async () => {
    receiver = start(token);
    const [, port = ""] = await said(/^listening on port (\d+)$/m);
    address = `http://127.0.0.1:${port}/`;
  });
  after(() => receiver.kill("SIGKILL"));

  const trigger = "run:completed";
  const statusOf = async (more: object): Promise<number | null | undefined> =>
    (await emulator.provisioning.sendNotification({ workspace, trigger, ...more }))[0]?.status;

  it("the example receiver responds to the verification, reports runs, accepts other notifications that are signed with its key, and rejects the rest", async () => {
    await FakeEngine.create(notificationConfigurationDefinition, emulator, {
      workspaceId: workspace,
      destinationType: "generic",
      name: "a",
      enabled: true,
      url: address,
      token,
      triggers: [trigger],
    });
    await said(/^verified$/m);
    assert.equal(await statusOf({ message: "all is well", runId: "run-7" }), 200);
    await said(/^run:completed in acme\/web: all is well \(https?:.*\/runs\/run-7\)$/m);
    assert.equal(await statusOf({ body: { trigger: "assessment:drifted" } }), 200);
    await said(/^a notification of another kind$/m);
    const [{ id } = assert.fail()] = emulator.inspect().provisioning.notificationConfigurations;
    for (const [key, complaint] of [
      ["another key", /^refused: The signature of the notification is not valid/m],
      [null, /^refused: The notification is not signed/m],
    ] as const) {
      emulator.provisioning.changeNotificationConfiguration(id, { token: key });
      assert.equal(await statusOf({ message: "forged" }), 401);
      await said(complaint);
    }
    assert.doesNotMatch(output, /forged|canary/);
  });

  it("the example receiver does not start without a key, because anybody could sign with an empty one", async () => {
    assert.deepEqual(await once(start(""), "close"), [1, null]);
    assert.match(output, /Set SIGNING_KEY to the token of the notification configuration\./);
  });
});
