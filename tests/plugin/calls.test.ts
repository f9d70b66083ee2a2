import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { failureOf, inClear, partialOf, secret, unknownValues } from "../support/values";
import { providerStub } from "../../sdk/resource/state/encoding";
import { type Properties, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

const urnOf = (type: string): string => `urn:pulumi:production::platform::trivium:${type}::it`;
const project = urnOf("provisioning:Project");
const notification = urnOf("provisioning:NotificationConfiguration");
const settings = urnOf("provisioning:AdminOrganization");

const alias = urnOf("secrets/identity:EntityAlias");

const signatureKey = "4dabf18193072939515e22adb298388d";
const asset = { [signatureKey]: "c44067f5952c0a294b673a41bacd8c17", text: "a file" };
const archive = { [signatureKey]: "0def7320c3a5731c473e5ecbe6d01bc7", assets: { a: asset } };
const reference = { [signatureKey]: "5cf8f73096256a8f31e491e813e4eb8e", urn: project, id: "prj-1" };
const output = { [signatureKey]: "d0e6a833031e9bbcd3f4e8bde6ca49a4", value: "x", secret: true };

const acme = { organization: "acme" };
const canaries = { token: "canary-plugin-token-4c81", key: "canary-plugin-key-90ff" };

/** What of faults, hostile values, secrecy and former state differs between the plugin and dynamic resources. */
describe("calls of the plugin", function () {
  this.timeout(60_000);
  const emulator = useEmulator({ resets: false, tokens: { provisioning: canaries.token } });
  let plugin: ProviderProcess;
  let workspaceId: string;

  before(async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    plugin = await ProviderProcess.startPlugin({
      provisioningAddress: emulator.provisioning.address,
      provisioningToken: secret(canaries.token),
      provisioningMaxRetries: "0",
      secretsAddress: emulator.secrets.address,
      secretsToken: emulator.secrets.token,
    });
  });
  beforeEach(() => (plugin.about = { urn: project }));
  afterEach(() => {
    emulator.faults.clear();
    const shown = plugin.takeShown().join("\n");
    for (const canary of Object.values(canaries)) {
      assert.ok(!shown.includes(canary), shown);
    }
  });
  after(() => plugin.stop());

  const posts = (): number => emulator.journal.count({ method: "POST" });
  const notificationInputs = (name: string): Properties => ({
    workspaceId,
    name,
    destinationType: "generic",
    url: secret("https://hooks.example.com/x"),
    token: secret(canaries.key),
    triggers: [secret("run:errored")],
  });

  describe("with implausible values", () => {
    for (const [what, urn, news, property] of [
      ["an asset", project, { ...acme, name: asset }, "name"],
      ["an archive", project, { organization: archive, name: "archive" }, "organization"],
      ["a resource", project, { ...acme, name: reference }, "name"],
      ["an output value", project, { ...acme, name: output }, "name"],
      ["an asset instead of a map", alias, { name: "a", customMetadata: asset }, "customMetadata"],
      ["a secret asset in a map", alias, { customMetadata: { a: secret(asset) } }, "customMetadata"],
      ["a list instead of a text", project, { ...acme, name: ["x"] }, "name"],
      ["a huge number", settings, { name: "acme", workspaceLimit: 1e308 }, "workspaceLimit"],
      ["no number", settings, { name: "acme", workspaceLimit: Number.NaN }, "workspaceLimit"],
      ["a null in a list", notification, { triggers: [null] }, "triggers"],
      ["a secret object in a list", notification, { triggers: [secret({ a: secret("b") })] }, "triggers"],
      ["an argument of another name", project, { ...acme, name: "other", constructor: 1 }, "constructor"],
    ] as const) {
      it(`the plugin rejects ${what}`, async () => {
        plugin.about = { urn };
        const { failures } = await plugin.check({}, news);
        const found = failures.map((each) => `${each.property} ${each.reason}`.trim());
        assert.ok(
          found.some((each) => each.startsWith(property)),
          found.join(),
        );
      });
    }

    it("the plugin treats null as not set, and continues after invalid values", async () => {
      const { inputs, failures } = await plugin.check({}, { ...acme, name: "alive", adopt: null });
      assert.deepEqual([failures, inputs.adopt ?? null], [[], null]);
      assert.match((await plugin.create(inputs)).id, /^prj-/);
    });

    it("the plugin plans with unknown values, and marks secrets at any depth", async () => {
      plugin.about = { urn: notification, preview: true };
      const open = { workspaceId: unknownValues.string, triggers: [unknownValues.string] };
      const news = { ...notificationInputs("planned"), ...open };
      const { inputs, failures } = await plugin.check({}, news);
      assert.deepEqual(failures, []);
      const before = emulator.journal.count();
      const { outputs } = await plugin.create(inputs);
      assert.equal(emulator.journal.count(), before);
      assert.equal(outputs.workspaceId, unknownValues.string);
      assert.deepEqual(outputs.token, secret(canaries.key));
    });
  });

  for (const hours of [720, 1200, 1e9]) {
    it(`the plugin accepts a time limit of ${hours} hours, which is longer than the runtime's timers`, async () => {
      emulator.faults.add({ method: "POST", latency: "100ms" });
      plugin.about = { urn: project, timeout: hours * 3600 };
      const { id } = await plugin.create({ ...acme, name: `patient-${hours}` });
      assert.match(id, /^prj-/);
    });
  }

  it("the plugin does not print a warning about the many requests of an operation with a time limit", async () => {
    const { secrets } = emulator;
    const { accessor: mountAccessor } = secrets.addMount({ type: "userpass", path: "auth/people" });
    for (let index = 0; index < 20; index++) {
      secrets.addEntityAlias({ name: `user-${index}`, canonicalId: secrets.addEntity().id, mountAccessor });
    }
    plugin.about = { urn: urnOf("secrets/identity:EntityAlias"), timeout: 60 };
    const { id: canonicalId } = secrets.addEntity();
    await plugin.create({ name: "alice", canonicalId, mountAccessor });
    assert.doesNotMatch(plugin.output, /Warning/);
  });

  describe("with faults", () => {
    for (const [what, fault] of [
      ["cut off", { drop: "after" }],
      ["broken off", { truncate: true }],
      ["replaced by the page of a proxy", { status: 200, body: "<html>Welcome</html>", when: "after" }],
    ] as const) {
      it(`the plugin adopts an object if the response to its creation is ${what}`, async () => {
        const before = posts();
        emulator.faults.add({ method: "POST", ...fault });
        const { id, outputs } = await plugin.create({ ...acme, name: what });
        assert.match(id, /^prj-/);
        assert.equal(outputs.name, what);
        assert.equal(posts(), before + 1);
      });
    }

    it("the plugin keeps a project that could not be read back: the engine receives its ID, its properties and the reason", async () => {
      emulator.faults.add({ method: "GET", path: "/api/v2/projects/:id", status: 500 });
      const inputs = { ...acme, name: "half" };
      const { id, properties, reasons } = await partialOf(plugin.create(inputs));
      assert.match(id, /^prj-/);
      assert.deepEqual([properties.organization, properties.name], ["acme", "half"]);
      assert.match(reasons.join(), new RegExp(`${id} was written, but reading it back failed.*500`));
      emulator.faults.clear();
      plugin.about = { urn: project, oldInputs: inputs };
      const before = posts();
      const completed = await plugin.update(id, properties, inputs);
      assert.equal(typeof completed.permissions, "object");
      assert.equal(posts(), before);
    });

    it("the plugin does not show a secret that a service or a proxy repeats", async () => {
      plugin.about = { urn: notification };
      const detail = `${canaries.key} and ${canaries.token} are no good`;
      const body = JSON.stringify({ errors: [{ status: "422", title: detail, detail }] });
      emulator.faults.add({ method: "POST", status: 422, body });
      const { message, partial } = await failureOf(plugin.create(notificationInputs("echo")));
      assert.match(message, /422/);
      assert.equal(partial, undefined);
    });
  });

  it("the plugin adopts what dynamic resources wrote: it shows no change and sends no request, and can read, change and delete it", async () => {
    const { id } = emulator.provisioning.addProject({ ...acme, name: "payments" });
    const own = { adopt: true, name: "payments", organization: "acme" };
    const inputs = { ...own, __provider: providerStub("provisioning:Project") };
    const outputs = {
      name: "payments",
      organization: "acme",
      __provider: inputs.__provider,
      permissions: { canCreateWorkspace: true, canDestroy: true, canUpdate: true },
      __at: `${emulator.provisioning.address}/api/v2`,
      __managed: { adopt: { as: true }, name: true, organization: true },
    };
    plugin.about = { urn: project, oldInputs: inputs };
    const before = emulator.journal.count();
    assert.deepEqual(await plugin.check(inputs, own), { inputs: own, failures: [] });
    const same = { changes: "none", replaces: [], deleteBeforeReplace: true };
    assert.deepEqual(await plugin.diff(id, outputs, own), same);
    assert.equal(emulator.journal.count(), before);
    const read = await plugin.refresh(id, outputs);
    assert.equal(read.id, id);
    assert.ok(!("__provider" in read.outputs) && !("__urn" in read.outputs));
    const news = { ...own, name: "renamed" };
    assert.equal((await plugin.diff(id, read.outputs, news)).changes, "some");
    const updated = await plugin.update(id, read.outputs, news);
    assert.equal(inClear(updated).name, "renamed");
    await plugin.delete(id, updated);
    assert.ok(!emulator.inspect().provisioning.projects.some((each) => each.id === id));
  });

  it("the plugin finds the engine among the options that the CLI passes on", async () => {
    const options = ["--logtostderr", "-v=3"];
    const { address: secretsAddress } = emulator.secrets;
    const other = await ProviderProcess.startPlugin({ secretsAddress }, {}, options);
    other.about = { urn: urnOf("secrets/mfa:TotpMethod") };
    await other.check({}, { issuer: "Acme" });
    await other.engine.line(/token/);
    await other.stop();
  });

  it("the plugin connects to a service as soon as it is configured, but does not send anything", async () => {
    const service = createServer();
    service.listen(0, "127.0.0.1");
    await once(service, "listening");
    const { port } = service.address() as AddressInfo;
    const connection = once(service, "connection");
    const secretsAddress = `http://127.0.0.1:${port}`;
    const other = await ProviderProcess.startPlugin({ secretsAddress, secretsToken: canaries.token });
    const [socket] = (await connection) as [Socket];
    await other.stop();
    service.close();
    await once(service, "close");
    assert.equal(socket.bytesRead, 0);
  });

  describe("in the end", () => {
    it("the plugin does not send requests after Cancel", async () => {
      await plugin.cancel();
      const before = posts();
      await failureOf(plugin.create({ ...acme, name: "late" }));
      assert.equal(posts(), before);
    });
  });
});
