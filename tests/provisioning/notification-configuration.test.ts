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
const workspaceId = "ws-web";
const seed = {
  organizations: [{ name: "acme" }],
  projects: [{ id: "prj-web", organization: "acme", name: "web" }],
  workspaces: [{ id: workspaceId, organization: "acme", project: "web" }],
  users: ["ada", "bob"].map((name) => ({ id: `user-${name}`, organization: "acme" })),
};
const args = { workspaceId, name: "deployments", destinationType: "generic", url };

describe("provisioning.NotificationConfiguration", () => {
  const emulator = useEmulator({ faultSeed: 3, seed });
  useEnvironment(() => emulator.environment);
  const receiver = useReceiver();
  let managed: FakeEngine;

  beforeEach(() => {
    receiver.status = 200;
    receiver.requests.length = 0;
    managed = new FakeEngine(definition, emulator);
  });

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
    let current: Properties = { ...args, token: "key-one", triggers: ["run:created"], enabled: false };
    await managed.up(current);
    const changes: readonly Properties[] = [
      { name: "b" },
      { url: `${url}/2` },
      { token: "key-two" },
      { triggers: ["run:errored"] },
    ];
    for (const attributes of changes) {
      current = { ...current, ...attributes };
      await managed.up(current);
      assert.deepEqual(bodies(patch).at(-1), {
        ...{ type: "notification-configuration", id: managed.id, attributes },
      });
    }
  });

  it("a notification configuration is sent no token that was never given, and null for one that was removed", async () => {
    await managed.up(args);
    emulator.provisioning.changeNotificationConfiguration(managed.id ?? "", { token: "set by hand" });
    const tokens: unknown[] = [];
    const steps: readonly Properties[] = [{ name: "b" }, { token: "key-one" }, {}, { name: "b" }];
    for (const more of steps) {
      await managed.up({ ...args, ...more });
      tokens.push(configurations()[0]?.token);
    }
    assert.deepEqual(tokens, ["set by hand", "key-one", null, null]);
    const sent = [...bodies(post), ...bodies(patch)].map(({ attributes }) => attributes.token);
    assert.deepEqual(sent, [undefined, undefined, "key-one", null, undefined]);
  });

  it("a notification configuration is enabled for e-mail without a response, since people verify that", async () => {
    const email = { workspaceId, name: "mail", destinationType: "email", enabled: true };
    for (const verification of [null, { triggers: { asked: "again" } }]) {
      await managed.up({ ...email, verification });
      assert.deepEqual([managed.outputs.enabled, managed.outputs.deliveryResponses], [true, []]);
    }
  });

  it("a notification configuration has the defaults of the service where the program says nothing, and says when it was changed", async () => {
    await managed.up(args);
    const { enabled, triggers, token, deliveryResponses, createdAt, updatedAt } = managed.outputs;
    assert.deepEqual([enabled, triggers, token, deliveryResponses], [false, [], undefined, []]);
    const attributes = Object.keys(bodies(post)[0]?.attributes ?? {});
    assert.deepEqual(attributes.toSorted(), ["destination-type", "name", "url"]);
    assert.equal(updatedAt, createdAt);
    emulator.advance("2h");
    await managed.up({ ...args, name: "releases" });
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
    ["is created all the same, and a warning names the existing one", 1, false, one],
    ["is created, and adopts none, when there are several", 2, true, several],
    ["adopts the only existing one with adopt", 1, true],
  ];
  for (const [title, count, adopt, warning] of cases) {
    it(`a notification configuration whose name is taken ${title}`, async () => {
      const existing = Array.from({ length: count }, () => add());
      add({ name: "releases" });
      add({ destinationType: "chat-a" });
      const step = stepOn(emulator);
      await definition.find?.(step, { ...args, adopt } as never);
      const warnings = warning ? [`warning: The workspace ws-web ${warning(existing)}`] : [];
      assert.deepEqual(step.announced, warnings);
      await managed.up({ ...args, adopt });
      assert.equal(existing.includes(managed.id ?? ""), warning === undefined);
      assert.equal(configurations().length, count + 2 + warnings.length);
    });
  }

  it("the adopted configuration is the new one when its response is lost, also when many of one name are created at once", async () => {
    const existing = [add(), add()];
    emulator.faults.add({ ...post, drop: "after", times: 3 });
    const all = Array.from({ length: 6 }, () => new FakeEngine(definition, emulator));
    await Promise.all(all.map((each) => each.up(args)));
    const ids = new Set([...existing, ...all.map(({ id }) => id)]);
    assert.deepEqual(ids, new Set(configurations().map(({ id }) => id)));
    assert.equal(ids.size, 8);
    assert.equal(emulator.journal.count(post), 6);
  });

  it("the adopted configuration is none of those that were there when the request is lost", async () => {
    add();
    emulator.faults.add({ ...post, drop: "before" });
    await assert.rejects(managed.up(args), {
      message:
        /may nevertheless have been created, but the search for it failed: the workspace \S+ has no new notification configuration with this name/,
    });
    assert.equal(configurations().length, 1);
  });

  it("a configuration is named, and adopted by nobody, when others created one of the same name meanwhile", async () => {
    let stranger = "";
    emulator.faults.add({ ...post, drop: "after", where: () => (stranger ||= add()) !== "" });
    await assert.rejects(managed.up(args), ({ message }: Error) => {
      assert.match(message, /has several new notification configurations with this name/);
      return configurations().every(({ id }) => message.includes(id));
    });
  });

  const counts = (): [number, number] => [emulator.journal.count(verify), emulator.journal.count(patch)];
  const withTriggers = (version: string, more: object = {}): Properties => ({
    ...{ ...args, url: receiver.address, enabled: true },
    ...{ verification: { triggers: { receiver: version } }, ...more },
  });

  it("verification triggers make the service verify again when they change, and leave only the last response", async () => {
    const times = new Set<string>();
    const note = (): void => {
      const [{ sentAt } = assert.fail(), ...more] = managed.outputs.deliveryResponses as { sentAt: string }[];
      assert.deepEqual(more, []);
      times.add(sentAt);
    };
    await managed.up(withTriggers("1"));
    note();
    assert.equal(await managed.up(withTriggers("1")), "same");
    for (const change of [withTriggers("2"), withTriggers("2", { name: "releases" })]) {
      emulator.advance("1h");
      await managed.up(change);
      note();
    }
    assert.deepEqual([times.size, counts()], [3, [1, 1]]);
    await managed.refresh();
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
    // Where the program says how long, the update waits for the receiver.
    emulator.faults.add({ ...verify, status: 400, body: { errors: [{ title: "not reached" }] } });
    const verification = { timeout: "30s", interval: 0.01, triggers: { receiver: "3" } };
    assert.equal(await managed.up(withTriggers("3", { verification })), "updated");
    assert.deepEqual(counts(), [4, 0]);
  });

  it("a notification configuration names the missing right and doctor after a 404, which may hide the workspace", async () => {
    emulator.faults.add({ service: "provisioning", method: "POST", status: 404, times: 1 });
    await assert.rejects(managed.up(args), {
      message:
        /404.*takes the permission to administer the workspace\. `npx pulumi-trivium doctor provisioning` checks the token\.$/,
    });
  });

  it("a notification configuration is neither saved nor updated while the receiver refuses, and the next update corrects it", async () => {
    const created = { ...args, url: receiver.address, enabled: true };
    receiver.status = 500;
    await assert.rejects(managed.up(created), {
      message:
        /^Could not create the notification configuration "deployments" in the workspace ws-web: .* returned 400: verification failed: .* HTTP 500\./,
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
    await managed.up(updated);
    assert.deepEqual([stored()[0]?.name, managed.outputs.name], ["releases", "releases"]);
  });

  it("a notification configuration changes its destination type in a workspace that is full", async () => {
    await managed.up(args);
    fill(19);
    assert.equal(await managed.up({ ...args, destinationType: "chat-a" }), "replaced");
    assert.equal(configurations().length, 20);
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
      await assert.rejects(managed.up(args), { message });
      emulator.faults.clear();
    }
  });

  it("a notification configuration is looked for in one list with all others that are created at the same time", async () => {
    const step = stepOn(emulator);
    add();
    const found = await Promise.all(
      ["deployments", "releases", "errors"].map(async (name) =>
        definition.find?.(step, { ...args, name, adopt: true } as never),
      ),
    );
    const names = found.map((look) => look?.existing?.state.name);
    assert.deepEqual(names, ["deployments", undefined, undefined]);
    assert.equal(emulator.journal.count(), 1);
  });

  it("listNotificationConfigurations lists those of one workspace, all pages of them, in the service's order", async () => {
    fill(130);
    add({ workspace: emulator.provisioning.addWorkspace({ organization: "acme" }).id, name: "of others" });
    const { notificationConfigurations: listed } = await listNotificationConfigurations({ workspaceId });
    listed.forEach(({ name }, index) => assert.equal(name, `n-${index}`));
    assert.equal(listed.length, 130);
    assert.equal(emulator.journal.count(), 2);
  });

  it("verifyNotificationConfiguration makes the service ask the receiver, and getNotificationConfiguration reads what it returned", async () => {
    const id = add({ url: receiver.address, token: "a key", triggers: ["run:errored", "run:created"] });
    const verified = await verifyNotificationConfiguration({ id });
    const [{ body, headers } = assert.fail()] = receiver.requests;
    const { kind, raw } = parse(body, { signature: headers[signatureHeader], token: "a key" });
    assert.deepEqual([kind, (raw as Properties).notification_configuration_id], ["verification", id]);
    assert.deepEqual(await getNotificationConfiguration({ id }), verified);
    const { deliveryResponses, createdAt, updatedAt, ...rest } = verified;
    assert.deepEqual(rest, {
      ...{ id, workspaceId, name: "deployments", destinationType: "generic", enabled: false },
      ...{ url: receiver.address, triggers: ["run:created", "run:errored"], userIds: [] },
    });
    const [stored = assert.fail()] = configurations();
    assert.deepEqual([createdAt, updatedAt], [stored.createdAt, stored.updatedAt]);
    const [{ headers: returned, sentAt, ...response } = assert.fail()] = deliveryResponses;
    const expected = { url: receiver.address, body: "noted", code: "200", successful: true };
    assert.deepEqual(response, expected);
    assert.equal(returned["transfer-encoding"]?.[0], "chunked");
    assert.equal(sentAt, stored.deliveryResponses[0]?.sentAt);
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
    emulator.faults.add({ ...verify, drop: "after" });
    const error = await failure(verifyNotificationConfiguration({ id: add({ url: receiver.address }) }));
    assert.equal(error.mayHaveBeenProcessed, true);
    assert.equal(receiver.requests.length, 1);
  });
});

describe("provisioning.NotificationConfiguration in the hashicorp dialect", () => {
  const receiver = useReceiver();
  const dialect = { provisioning: "hashicorp" } as const;
  const settings = { "trivium:provisioningDialect": "hashicorp" };

  for (const unsentEmailUsers of ["kept", "cleared"] as const) {
    describe(`for e-mail, where users that an update does not name are ${unsentEmailUsers}`, () => {
      const product = useEmulator({ dialect, seed, provisioning: { unsentEmailUsers } });
      const users = () => product.inspect().provisioning.notificationConfigurations[0]?.userIds;

      it("an e-mail configuration keeps its users when something else changes, whether the program manages them or not", async () => {
        const email = { workspaceId, name: "mail", destinationType: "email" };
        const steps: readonly [Properties, string[]][] = [
          [{ userIds: ["user-ada"] }, ["user-ada"]],
          [{ userIds: ["user-ada"], enabled: true }, ["user-ada"]],
          [{ userIds: ["user-bob"], enabled: true }, ["user-bob"]],
          [{ enabled: true }, []],
        ];
        const managed = new FakeEngine(definition, product, settings);
        for (const [more, expected] of steps) {
          await managed.up({ ...email, ...more });
          assert.deepEqual(users(), expected);
        }
        await managed.destroy();
        const other = await FakeEngine.create(definition, product, email, settings);
        product.provisioning.changeNotificationConfiguration(other.id ?? "", { userIds: ["user-ada"] });
        await other.refresh();
        assert.equal(await other.up({ ...email, enabled: true }), "updated");
        assert.deepEqual(users(), ["user-ada"]);
      });
    });
  }

  const product = useEmulator({
    dialect,
    seed: { ...seed, teams: [{ id: "team-ops", organization: "acme" }] },
  });
  useEnvironment(() => ({ ...product.environment, PROVISIONING_DIALECT: "hashicorp" }));
  const parents = [
    { kind: "workspace", given: { workspaceId }, added: { workspace: workspaceId } },
    { kind: "project", given: { projectId: "prj-web" }, added: { project: "prj-web" } },
    { kind: "team", given: { teamId: "team-ops" }, added: { team: "team-ops" } },
  ] as const;
  for (const { kind, given, added } of parents) {
    const [argument = ""] = Object.keys(given);
    const [id = ""] = Object.values(given);
    const parental = { ...given, name: "deployments", destinationType: "generic", url };

    it(`a notification configuration is created at the ${kind}, found there to adopt, listed, imported, and gone with it`, async () => {
      const managed = await FakeEngine.create(definition, product, parental, settings);
      const [request] = product.journal.requests({ method: "POST" });
      assert.equal(request?.path, `/api/v2/${kind}s/${id}/notification-configurations`);
      const adopting = new FakeEngine(definition, product, settings);
      await adopting.up({ ...parental, adopt: true });
      assert.equal(adopting.id, managed.id);
      const [listed] = (await listNotificationConfigurations(given)).notificationConfigurations;
      const none = { workspaceId: null, projectId: null, teamId: null };
      assert.deepEqual({ ...listed, ...none, ...given, id: managed.id }, listed);
      const { props = {} } = await lifecycleOn(product, definition, settings).read(managed.id ?? "");
      assert.equal(props[argument], id);
      product.provisioning.removeOrganization("acme");
      assert.equal(product.inspect().provisioning.notificationConfigurations.length, 0);
    });

    it(`a notification configuration explains the limit when a ${kind} is full`, async () => {
      for (let count = 0; count < 20; count++) {
        product.provisioning.addNotificationConfiguration({ ...added, name: `n-${count}`, url });
      }
      const limit = `The ${kind} ${id} already has 20 notification configurations; the maximum is 20\\.$`;
      const message = new RegExp(`returned 422: .*${limit}`);
      await assert.rejects(FakeEngine.create(definition, product, parental, settings), { message });
    });
  }

  it("a notification configuration is sent what happens in the workspaces of the project, and only asks for one of three", async () => {
    const receiving = { name: "runs", enabled: true, url: receiver.address, triggers: ["run:errored"] };
    product.provisioning.addNotificationConfiguration({ project: "prj-web", ...receiving });
    const happened = { workspace: workspaceId, trigger: "run:errored" };
    const [delivery] = await product.provisioning.sendNotification(happened);
    assert.equal(delivery?.status, 200);
    for (const given of [{}, { workspaceId, teamId: "team-ops" }]) {
      await assert.rejects(listNotificationConfigurations(given), {
        name: "InputError",
        message: /workspaceId is required without|teamId must not be given together with workspaceId/,
      });
    }
  });

  it("a notification configuration has one destination type, whether the program uses its documented or its product's name", async () => {
    const managed = await FakeEngine.create(definition, product, args, settings);
    const up = (destinationType: string) => managed.up({ ...args, destinationType });
    for (const [documented, word] of [
      ["chat-a", "slack"],
      ["chat-b", "microsoft-teams"],
    ] as const) {
      assert.equal(await up(word), "replaced");
      const { data } = product.journal.requests(post).at(-1)?.body as { data: Record<string, Properties> };
      const sent = [data.type, data.attributes?.["destination-type"]];
      assert.deepEqual(sent, ["notification-configurations", word]);
      assert.equal(await managed.refresh(), true);
      const { inputs, outputs } = managed;
      assert.deepEqual([inputs.destinationType, outputs.destinationType], [word, documented]);
      for (const spelling of [word, documented, word]) {
        assert.equal(await up(spelling), "same");
      }
    }
  });
});
