import assert from "node:assert/strict";
import { ServiceError } from "../../sdk/base/errors";
import {
  getNotificationConfiguration,
  listNotificationConfigurations,
  notificationConfigurationDefinition as definition,
  verifyNotificationConfiguration,
} from "../../sdk/provisioning/notification-configuration";
import { parse, signatureHeader } from "../../sdk/provisioning/webhook";
import { useEnvironment } from "../connection/environment";
import { useReceiver } from "../engine/support/receiver";
import { failure } from "../http/calls";
import { lifecycleOn, FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { stepOn } from "./emulated-client";

const url = "https://hooks.example.com/services/canary";
const post = { method: "POST", path: "/api/v2/workspaces/:id/notification-configurations" };
const patch = { method: "PATCH", path: "/api/v2/notification-configurations/:id" };
const verify = { method: "POST", path: "/api/v2/notification-configurations/:id/actions/verify" };

describe("provisioning.NotificationConfiguration", () => {
  const emulator = useEmulator({ faultSeed: 3 });
  const receiver = useReceiver();
  let workspaceId: string;
  let managed: FakeEngine;

  beforeEach(() => {
    receiver.status = 200;
    receiver.requests.length = 0;
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    managed = new FakeEngine(definition, emulator);
  });

  const args = () => ({ workspaceId, name: "deployments", destinationType: "generic", url });
  const email = () => ({ workspaceId, name: "mail", destinationType: "email", enabled: true });
  const configurations = () => emulator.inspect().provisioning.notificationConfigurations;
  const add = (more: object = {}): string =>
    emulator.provisioning.addNotificationConfiguration({
      ...{ workspace: workspaceId, name: "deployments", url },
      ...more,
    }).id;
  const fill = (count: number): void =>
    Array.from({ length: count }, (_, index) => `n-${index}`).forEach((name) => add({ name }));
  const bodies = (filter: { method: string; path: string }) =>
    emulator.journal.requests(filter).map(({ body }) => (body as { data: { attributes: Properties } }).data);

  it("a notification configuration is sent what changed, and nothing else", async () => {
    let current: Properties = { ...args(), token: "key-one", triggers: ["run:created"], enabled: false };
    await managed.up(current);
    const type = "notification-configuration";
    const changes: readonly Properties[] = [
      { name: "releases" },
      { url: `${url}/2` },
      { token: "key-two" },
      { triggers: ["run:errored"] },
    ];
    for (const attributes of changes) {
      current = { ...current, ...attributes };
      assert.equal(await managed.up(current), "updated");
      assert.deepEqual(bodies(patch).at(-1), { type, id: managed.id, attributes });
    }
  });

  it("a notification configuration is sent no token that was never given, and null for one that was removed", async () => {
    await managed.up(args());
    emulator.provisioning.changeNotificationConfiguration(managed.id ?? "", { token: "set by hand" });
    const tokens: unknown[] = [];
    const steps: readonly Properties[] = [
      { name: "releases" },
      { token: "key-one" },
      {},
      { name: "releases" },
    ];
    for (const more of steps) {
      await managed.up({ ...args(), ...more });
      tokens.push(configurations()[0]?.token);
    }
    assert.deepEqual(tokens, ["set by hand", "key-one", null, null]);
    const actual = [...bodies(post), ...bodies(patch)].map(({ attributes }) => attributes.token);
    assert.deepEqual(actual, [undefined, undefined, "key-one", null, undefined]);
  });

  it("a notification configuration is enabled for e-mail without a response, since people verify that", async () => {
    await managed.up(email());
    assert.deepEqual([managed.outputs.enabled, managed.outputs.deliveryResponses], [true, []]);
    await managed.up({ ...email(), verification: { triggers: { asked: "again" } } });
    assert.deepEqual(managed.outputs.deliveryResponses, []);
  });

  it("a notification configuration has the defaults of the service where the program says nothing, and says when it was changed", async () => {
    await managed.up(args());
    const { enabled, triggers, token, deliveryResponses, createdAt, updatedAt } = managed.outputs;
    assert.deepEqual([enabled, triggers, token, deliveryResponses], [false, [], undefined, []]);
    assert.deepEqual(Object.keys(bodies(post)[0]?.attributes ?? {}).toSorted(), [
      "destination-type",
      "name",
      "url",
    ]);
    assert.equal(updatedAt, createdAt);
    emulator.advance("2h");
    await managed.up({ ...args(), name: "releases" });
    assert.equal(managed.outputs.createdAt, createdAt);
    assert.notEqual(managed.outputs.updatedAt, createdAt);
  });

  const several = (ids: readonly string[]): string =>
    `already has ${ids.length} notification configurations with this name and destination type (${ids.join(", ")}), ` +
    "so none was adopted. Another one is created.";
  const one = ([id = ""]: readonly string[]): string =>
    `already has a notification configuration with this name and destination type (${id}). Another one is ` +
    "created; to manage the existing one instead, set `adopt: true`.";
  const cases: readonly [string, number, adopt: boolean, warning?: (ids: readonly string[]) => string][] = [
    ["is created all the same, and a warning names that one", 1, false, one],
    ["is created, and adopts none, when there are several", 2, true, several],
    ["is that one when it may adopt", 1, true],
  ];
  for (const [title, count, mayAdopt, warning] of cases) {
    it(`a notification configuration whose name is taken ${title}`, async () => {
      const existing = Array.from({ length: count }, () => add());
      add({ name: "releases" });
      add({ destinationType: "chat-a" });
      const step = stepOn(emulator);
      const wanted = { ...args(), triggers: ["run:errored"], adopt: mayAdopt };
      const look = await definition.find?.(step, wanted as never);
      const expected =
        warning === undefined ? [] : [`warning: The workspace ${workspaceId} ${warning(existing)}`];
      assert.deepEqual(step.announced, expected);
      await managed.up(wanted);
      assert.equal(look?.existing?.id, warning === undefined ? managed.id : undefined);
      assert.equal(existing.includes(managed.id ?? ""), warning === undefined);
      assert.equal(configurations().length, count + 2 + expected.length);
    });
  }

  it("the adopted configuration is the new one when its response is lost, not one that was there", async () => {
    const existing = [add(), add()];
    emulator.faults.add({ ...post, drop: "after" });
    await managed.up(args());
    assert.ok(!existing.includes(managed.id ?? ""));
    assert.deepEqual([configurations().length, emulator.journal.count(post)], [3, 1]);
  });

  it("the adopted configuration is none of those that were there when the request is lost", async () => {
    add();
    emulator.faults.add({ ...post, drop: "before" });
    await assert.rejects(managed.up(args()), {
      message:
        /may nevertheless have been created, but the search for it failed: the workspace \S+ has no new notification configuration with this name/,
    });
    assert.equal(configurations().length, 1);
  });

  it("a configuration is named, and adopted by nobody, when others created one of the same name meanwhile", async () => {
    let stranger = "";
    emulator.faults.add({ ...post, drop: "after", where: () => (stranger ||= add()) !== "" });
    await assert.rejects(managed.up(args()), ({ message }: Error) => {
      assert.match(message, /has several new notification configurations with this name/);
      return configurations().every(({ id }) => message.includes(id));
    });
  });

  it("a configuration is each of its resources' own when many of one name are created at once and responses are lost", async () => {
    emulator.faults.add({ ...post, drop: "after", times: 3 });
    const all = Array.from({ length: 6 }, () => new FakeEngine(definition, emulator));
    await Promise.all(all.map((each) => each.up(args())));
    const ids = configurations().map(({ id }) => id);
    assert.deepEqual(all.map(({ id }) => id ?? "").toSorted(), ids.toSorted());
    assert.equal(emulator.journal.count(post), 6);
  });

  const counts = (): [number, number] => [emulator.journal.count(verify), emulator.journal.count(patch)];
  const withTriggers = (version: string, more: object = {}): Properties => ({
    ...{ ...args(), url: receiver.address, enabled: true },
    verification: { triggers: { receiver: version } },
    ...more,
  });
  const sentAt = (): string[] =>
    (managed.outputs.deliveryResponses as { sentAt: string }[]).map((response) => response.sentAt);

  it("verification triggers make the service verify again when they change, and leave only the last response", async () => {
    await managed.up(withTriggers("1"));
    const times = new Set(sentAt());
    assert.equal(await managed.up(withTriggers("1")), "same");
    assert.deepEqual(counts(), [0, 0]);
    for (const change of [withTriggers("2"), withTriggers("2", { name: "releases" })]) {
      emulator.advance("1h");
      assert.equal(await managed.up(change), "updated");
      assert.equal(sentAt().length, 1);
      sentAt().forEach((time) => times.add(time));
    }
    assert.equal(times.size, 3);
    assert.deepEqual(counts(), [1, 1]);
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up(withTriggers("2", { name: "releases" })), "same");
  });

  it("verification triggers need no request of their own with an update that is verified anyway", async () => {
    await managed.up(withTriggers("1"));
    await managed.up(withTriggers("2", { name: "releases" }));
    assert.deepEqual(counts(), [0, 1]);
    await managed.up(withTriggers("3", { enabled: false }));
    assert.deepEqual(counts(), [1, 2], "a disabled one is saved without verification");
  });

  it("verification triggers are applied again by the next update when the receiver refuses", async () => {
    await managed.up(withTriggers("1"));
    receiver.status = 500;
    await assert.rejects(managed.up(withTriggers("2")), { message: /400/ });
    receiver.status = 200;
    assert.equal(await managed.up(withTriggers("2")), "updated");
    assert.deepEqual(counts(), [2, 0]);
  });

  it("verification triggers wait for the receiver where the program says how long", async () => {
    await managed.up(withTriggers("1"));
    emulator.faults.add({ ...verify, status: 400, body: { errors: [{ title: "not reached" }] } });
    const verification = { timeout: "30s", interval: 0.01, triggers: { receiver: "2" } };
    assert.equal(await managed.up(withTriggers("2", { verification })), "updated");
    assert.deepEqual(counts(), [2, 0]);
  });

  it("a notification configuration names the missing right and doctor after a 404, which may hide the workspace", async () => {
    emulator.faults.add({ service: "provisioning", method: "POST", status: 404, times: 1 });
    await assert.rejects(managed.up(args()), {
      message:
        /404.*takes the permission to administer the workspace\. `npx pulumi-trivium doctor provisioning` checks the token\.$/,
    });
  });

  it("a notification configuration is neither saved nor updated while the receiver refuses, and the next update corrects it", async () => {
    const created = { ...args(), url: receiver.address, enabled: true };
    receiver.status = 500;
    await assert.rejects(managed.up(created), {
      message:
        /^Could not create the notification configuration "deployments" in the workspace ws-\w+: .* returned 400: verification failed: .* HTTP 500\./,
    });
    assert.equal(receiver.requests.length, 1);
    assert.deepEqual([configurations(), managed.id], [[], undefined]);

    receiver.status = 200;
    await managed.up(created);
    const stored = () => configurations().map((each) => ({ ...each, deliveryResponses: [] }));
    const [before, outputs] = [stored(), managed.outputs];
    receiver.status = 503;
    const updated = { ...created, name: "releases", triggers: ["run:completed"] };
    await assert.rejects(managed.up(updated), {
      message: /Could not update the notification configuration nc-\w+: .* HTTP 503\./,
    });
    assert.deepEqual([stored(), managed.outputs], [before, outputs]);

    receiver.status = 204;
    assert.equal(await managed.up(updated), "updated");
    assert.deepEqual([stored()[0]?.name, managed.outputs.name], ["releases", "releases"]);
    assert.equal(await managed.up(updated), "same");
  });

  it("a notification configuration changes its destination type in a workspace that is full", async () => {
    await managed.up(args());
    fill(19);
    assert.equal(await managed.up({ ...args(), destinationType: "chat-a" }), "replaced");
    assert.equal(configurations().length, 20);
  });

  it("a notification configuration explains the limit when a workspace is full", async () => {
    fill(20);
    const message = new RegExp(
      `returned 422: .*The workspace ${workspaceId} already has 20 notification configurations; the maximum is 20\\.$`,
    );
    await assert.rejects(managed.up(args()), { message });
  });

  it("a notification configuration does not mention the limit when a refusal has another reason, or the workspace cannot be counted", async () => {
    for (const [status, isCounted] of [
      [422, true],
      [409, false],
    ] as const) {
      emulator.journal.clear();
      emulator.faults.add({ ...post, status, body: { errors: [{ title: "no such user" }] } });
      const where = (): boolean => emulator.journal.count(post) > 0 && !isCounted;
      emulator.faults.add({ method: "GET", where, status: 403 });
      const message = new RegExp(`returned ${status}: no such user\\.(?!.*(maximum|403))`);
      await assert.rejects(managed.up(args()), { message });
      emulator.faults.clear();
    }
  });

  it("a notification configuration is looked for in one list with all others that are created at the same time", async () => {
    const step = stepOn(emulator);
    add();
    const found = await Promise.all(
      ["deployments", "releases", "errors"].map(async (name) =>
        definition.find?.(step, { ...args(), name, adopt: true } as never),
      ),
    );
    const names = found.map((look) => look?.existing?.state.name);
    assert.deepEqual(names, ["deployments", undefined, undefined]);
    assert.equal(emulator.journal.count(), 1);
  });

  describe("functions", () => {
    useEnvironment(() => emulator.environment);

    it("getNotificationConfiguration reads one configuration", async () => {
      const more = { url: receiver.address, token: "a key", enabled: true };
      const id = add({ ...more, triggers: ["run:errored", "run:created"] });
      const [{ createdAt, updatedAt } = assert.fail()] = configurations();
      assert.deepEqual(await getNotificationConfiguration({ id }), {
        id,
        workspaceId,
        name: "deployments",
        destinationType: "generic",
        enabled: true,
        url: receiver.address,
        triggers: ["run:created", "run:errored"],
        userIds: [],
        deliveryResponses: [],
        createdAt,
        updatedAt,
      });
    });

    it("listNotificationConfigurations lists those of one workspace, all pages of them, in the service's order", async () => {
      fill(130);
      const workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      add({ workspace, name: "of others" });
      const { notificationConfigurations: listed } = await listNotificationConfigurations({ workspaceId });
      assert.deepEqual(
        listed.map(({ name }) => name),
        Array.from({ length: 130 }, (_, index) => `n-${index}`),
      );
      assert.equal(emulator.journal.count(), 2);
    });

    it("verifyNotificationConfiguration makes the service ask the receiver, and reads what it returned", async () => {
      const id = add({ url: `${receiver.address}/hook`, token: "a key" });
      const { deliveryResponses, enabled } = await verifyNotificationConfiguration({ id });
      const [{ body, headers } = assert.fail()] = receiver.requests;
      const notification = parse(body, { signature: headers[signatureHeader], token: "a key" });
      assert.ok(notification.kind === "verification");
      assert.equal(notification.notificationConfigurationId, id);
      const [response = assert.fail()] = deliveryResponses;
      assert.deepEqual(
        [response.url, response.body, response.code, response.successful, enabled],
        [`${receiver.address}/hook`, "noted", "200", true, false],
      );
      assert.equal(response.headers["transfer-encoding"]?.[0], "chunked");
    });

    it("verifyNotificationConfiguration fails with the service's reason when the receiver refuses, after one request", async () => {
      receiver.status = 500;
      const id = add({ url: receiver.address });
      const error = await failure(verifyNotificationConfiguration({ id }));
      assert.ok(ServiceError.isInstance(error) && error.status === 400);
      assert.match(error.message, /verification failed: .* could not be completed: HTTP 500/);
      assert.equal(receiver.requests.length, 1);
      const { deliveryResponses } = await getNotificationConfiguration({ id });
      assert.deepEqual([deliveryResponses[0]?.code, deliveryResponses[0]?.successful], ["500", false]);
    });

    it("verifyNotificationConfiguration is not repeated when its response is lost, because the receiver has got the request", async () => {
      const id = add({ url: receiver.address });
      emulator.faults.add({ ...verify, drop: "after" });
      const error = await failure(verifyNotificationConfiguration({ id }));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(receiver.requests.length, 1);
    });
  });
});

describe("provisioning.NotificationConfiguration in the hashicorp dialect", () => {
  const receiver = useReceiver();
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" } });

  for (const unsentEmailUsers of ["kept", "cleared"] as const) {
    describe(`for e-mail, where users that an update does not name are ${unsentEmailUsers}`, () => {
      const product = useEmulator({
        dialect: { provisioning: "hashicorp" },
        provisioning: { unsentEmailUsers },
        seed: {
          organizations: [{ name: "acme" }],
          users: ["ada", "bob"].map((name) => ({ id: `user-${name}`, organization: "acme" })),
          workspaces: [{ id: "ws-web", organization: "acme" }],
        },
      });
      const args = (more: object) => ({
        workspaceId: "ws-web",
        name: "mail",
        destinationType: "email",
        ...more,
      });
      const users = () => product.inspect().provisioning.notificationConfigurations[0]?.userIds;

      it("an e-mail configuration keeps its users when something else changes, whether the program manages them or not", async () => {
        const settings = { "trivium:provisioningDialect": "hashicorp" };
        const managed = await FakeEngine.create(
          definition,
          product,
          args({ userIds: ["user-ada"] }),
          settings,
        );
        assert.equal(await managed.up(args({ userIds: ["user-ada"], enabled: true })), "updated");
        assert.deepEqual(users(), ["user-ada"]);
        assert.equal(await managed.up(args({ userIds: ["user-bob"], enabled: true })), "updated");
        assert.deepEqual(users(), ["user-bob"]);
        assert.equal(await managed.up(args({ enabled: true })), "updated");
        assert.deepEqual(users(), []);
        await managed.destroy();
        const other = await FakeEngine.create(definition, product, args({}), settings);
        product.provisioning.changeNotificationConfiguration(other.id ?? "", { userIds: ["user-ada"] });
        await other.refresh();
        assert.equal(await other.up(args({ enabled: true })), "updated");
        assert.deepEqual(users(), ["user-ada"]);
      });
    });
  }

  describe("of a project or a team", () => {
    const product = useEmulator({
      dialect: { provisioning: "hashicorp" },
      seed: {
        organizations: [{ name: "acme" }],
        projects: [{ id: "prj-web", organization: "acme", name: "web" }],
        workspaces: [{ id: "ws-web", organization: "acme", project: "web" }],
        teams: [{ id: "team-ops", organization: "acme" }],
      },
    });
    useEnvironment(() => ({ ...product.environment, PROVISIONING_DIALECT: "hashicorp" }));
    const settings = { "trivium:provisioningDialect": "hashicorp" };
    const parents = [
      { kind: "project", given: { projectId: "prj-web" }, added: { project: "prj-web" } },
      { kind: "team", given: { teamId: "team-ops" }, added: { team: "team-ops" } },
    ] as const;
    for (const { kind, given, added } of parents) {
      const [id] = Object.values(given);
      const args = { ...given, name: "deployments", destinationType: "generic", url };

      it(`a notification configuration is created at the ${kind}, found there to adopt, listed, imported, and gone with it`, async () => {
        const managed = await FakeEngine.create(definition, product, args, settings);
        const [request] = product.journal.requests({ method: "POST" });
        assert.equal(request?.path, `/api/v2/${kind}s/${id}/notification-configurations`);
        const adopting = new FakeEngine(definition, product, settings);
        await adopting.up({ ...args, adopt: true });
        assert.equal(adopting.id, managed.id);
        const { notificationConfigurations: listed } = await listNotificationConfigurations(given);
        const found = listed.map(({ id, workspaceId, projectId, teamId }) => ({
          id,
          workspaceId,
          projectId,
          teamId,
        }));
        const none = { workspaceId: null, projectId: null, teamId: null };
        assert.deepEqual(found, [{ id: managed.id, ...none, ...given }]);
        const { props = {} } = await lifecycleOn(product, definition, settings).read(managed.id ?? "");
        assert.equal(props[Object.keys(given)[0] ?? ""], id);
        product.provisioning.removeOrganization("acme");
        assert.equal(product.inspect().provisioning.notificationConfigurations.length, 0);
      });

      it(`a notification configuration explains the limit when a ${kind} is full`, async () => {
        for (let count = 0; count < 20; count++) {
          product.provisioning.addNotificationConfiguration({ ...added, name: `n-${count}`, url });
        }
        await assert.rejects(FakeEngine.create(definition, product, args, settings), {
          message: new RegExp(
            `The ${kind} ${id} already has 20 notification configurations; the maximum is 20`,
          ),
        });
      });
    }

    it("a notification configuration is sent what happens in the workspaces of the project, and only asks for one of three", async () => {
      const receiving = { name: "runs", enabled: true, url: receiver.address, triggers: ["run:errored"] };
      product.provisioning.addNotificationConfiguration({ project: "prj-web", ...receiving });
      const deliveries = await product.provisioning.sendNotification({
        workspace: "ws-web",
        trigger: "run:errored",
      });
      const statuses = deliveries.map(({ status }) => status);
      assert.deepEqual(statuses, [200]);
      for (const given of [{}, { workspaceId: "ws-web", teamId: "team-ops" }]) {
        await assert.rejects(listNotificationConfigurations(given), {
          name: "InputError",
          message: /workspaceId is required without|teamId must not be given together with workspaceId/,
        });
      }
    });
  });

  it("a notification configuration has one destination type, whether the program uses its documented or its product's name", async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    const workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    const args = (destinationType: string) => ({ workspaceId, name: "deployments", destinationType, url });
    const managed = await FakeEngine.create(definition, emulator, args("generic"), {
      "trivium:provisioningDialect": "hashicorp",
    });
    for (const [documented, product] of [
      ["chat-a", "slack"],
      ["chat-b", "microsoft-teams"],
    ] as const) {
      assert.equal(await managed.up(args(product)), "replaced");
      const body = emulator.journal.requests(post).at(-1)?.body as { data: Record<string, Properties> };
      assert.deepEqual(
        [body.data.type, body.data.attributes?.["destination-type"]],
        ["notification-configurations", product],
      );
      assert.equal(await managed.refresh(), true);
      const { inputs, outputs } = managed;
      assert.deepEqual([inputs.destinationType, outputs.destinationType], [product, documented]);
      for (const spelling of [product, documented, product]) {
        assert.equal(await managed.up(args(spelling)), "same");
      }
    }
  });
});
