import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { withOrganization, organization } from "../support/projects";
import { type Receiver, startReceiver } from "../support/receiver";
import { ProgramDirectory } from "../support/program-directory";
import { stepByStep } from "../../support/step-by-step";

// The arguments come from outside, so that no file of the program holds a secret.
const program = `
const trivium = require("pulumi-trivium");
const args = JSON.parse(process.env.NOTIFICATION);
new trivium.provisioning.NotificationConfiguration("deployments", args);
`;

/** Every secret holds this word, also in part. */
const canary = "canary";

describe("the secrets of a notification configuration", function () {
  this.timeout(60_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let receiver: Receiver;
  let directory: ProgramDirectory;
  let args: Record<string, unknown>;
  const run = (...command: string[]) =>
    directory.pulumi(command, { environment: { NOTIFICATION: JSON.stringify(args) } });
  const hides = (text: string): void => assert.ok(!text.includes(canary), text);
  const post = { method: "POST", path: "/api/v2/workspaces/:id/notification-configurations" };
  /** A refusal in which the service repeats what it was sent. */
  const repeating = (status: number) => ({
    status,
    body: {
      errors: [
        {
          title: "refused",
          detail: `${String(args.url)} did not take {"token":"${String(args.token)}"}, asked at ${encodeURIComponent(String(args.url))}`,
        },
      ],
    },
  });

  before(async function () {
    this.timeout(900_000);
    receiver = await startReceiver();
    directory = await ProgramDirectory.ofJavaScript("engine-notification-secrets", program, {
      PROVISIONING_ADDR: emulator.provisioning.address,
      PROVISIONING_TOKEN: emulator.provisioning.token,
    });
    args = {
      workspaceId: emulator.provisioning.addWorkspace({ organization }).id,
      name: "deployments",
      destinationType: "generic",
      enabled: true,
      url: `${receiver.address}/canary-path/T0?key=canary-key&more=ü`,
      token: "canary-token/+=",
    };
  });
  after(async () => {
    hides(directory.output);
    hides(await directory.files());
    directory.remove();
    await receiver.close();
  });

  it("are not shown by a plan, in whichever form", async () => {
    const detailed = await run("preview", "--diff");
    assert.match(detailed.text, /\burl *: \[secret\]/);
    assert.match(detailed.text, /\btoken *: \[secret\]/);
    const json = await run("preview", "--json");
    assert.match(json.text, /"url": "\[secret\]"/);
    assert.ok(detailed.succeeded && json.succeeded);
  });

  it("are not shown when an argument is wrong, though the argument is named", async () => {
    const right = args;
    args = { ...right, destinationType: "chat-a", url: "canary-scheme://hooks" };
    const { succeeded, text } = await run("preview", "--diff");
    args = right;
    assert.ok(!succeeded);
    assert.match(text, /url must be an HTTP or HTTPS URL/);
    assert.match(text, /token is only valid for destinationType "generic"/);
    hides(text);
  });

  it("are not shown by an error in which the service repeats them", async () => {
    emulator.faults.add({ ...post, ...repeating(422) });
    const { succeeded, text } = await run("up", "--yes", "--skip-preview");
    assert.ok(!succeeded);
    assert.match(
      text,
      /returned 422: refused: \[secret\] did not take \{"token":"\[secret\]"\}, asked at \[secret\]\./,
    );
    hides(text);
  });

  it("are not shown while the receiver is waited for, nor in what is then stored", async () => {
    emulator.faults.add({ ...post, ...repeating(400) });
    args = { ...args, verification: { timeout: "30s", interval: "0.2s" } };
    const { succeeded, text } = await run("up", "--yes", "--skip-preview");
    assert.ok(succeeded, text);
    assert.match(text, /waiting for the receiver \(0 s of 30 s\): refused: \[secret\] did not take/);
    const exported = await run("stack", "export");
    assert.doesNotMatch(exported.text, /"deliveryResponses": \[/);
    assert.match(exported.text, /"deliveryResponses": \{/);
    hides(exported.text);
  });

  it("are not shown when they change, though the change is", async () => {
    args = { ...args, url: `${String(args.url)}&again=canary-again`, token: undefined };
    const { text } = await run("preview", "--diff");
    assert.match(text, /~ url *: \[secret\] => \[secret\]/);
    assert.match(text, /- token *: \[secret\]/);
    hides((await run("preview", "--json")).text);
    emulator.faults.add({ method: "PATCH", ...repeating(422) });
    const refused = await run("up", "--yes", "--skip-preview");
    assert.match(refused.text, /returned 422: refused: \[secret\]/);
    const { succeeded } = await run("up", "--yes", "--skip-preview", "--diff");
    assert.ok(succeeded);
    assert.equal(emulator.inspect().provisioning.notificationConfigurations[0]?.token, null);
  });

  it("are not shown by a refresh in which the service has others", async () => {
    const [configuration] = emulator.inspect().provisioning.notificationConfigurations;
    emulator.provisioning.changeNotificationConfiguration(configuration?.id ?? "", {
      url: `${receiver.address}/canary-by-hand`,
    });
    const refreshed = await run("refresh", "--yes", "--skip-preview", "--diff");
    assert.ok(refreshed.succeeded);
    assert.match(refreshed.text, /~ ?url *: \[secret\] => \[secret\]/);
    hides(refreshed.text);
  });

  it("are not shown when everything is deleted", async () => {
    const { succeeded, text } = await run("destroy", "--yes", "--skip-preview", "--diff");
    assert.ok(succeeded, text);
    assert.deepEqual(emulator.inspect().provisioning.notificationConfigurations, []);
  });
});
