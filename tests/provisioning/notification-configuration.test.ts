import assert from "node:assert/strict";
import type { ServiceConnection } from "../../sdk/connection/connect";
import { OwnNotes } from "../../sdk/engine/shared-notes";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import {
  getNotificationConfiguration,
  listNotificationConfigurations,
  notificationConfigurationDefinition,
  verifyNotificationConfiguration,
} from "../../sdk/provisioning/notification-configuration";
import { ServiceError } from "../../sdk/base/errors";
import { createLifecycle } from "../../sdk/resource/lifecycle/lifecycle";
import { useEnvironment } from "../connection/environment";
import type { Properties } from "../support/provider-process";
import { parse, signatureHeader, signatureOf } from "../../sdk/provisioning/webhook";

import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import type { JsonObject } from "../../sdk/base/json";
import { createObject } from "../../sdk/resource/lifecycle/writing";
import { Ownership } from "../../sdk/resource/lifecycle/ownership";
import { noRunOptions } from "../../sdk/resource/state/protocol";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { failure } from "../http/calls";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const definition = notificationConfigurationDefinition as unknown as AnyResourceDefinition;
const url = "https://hooks.example.com/services/canary";

/** Whole hours between two times as the service writes them. */
function hoursBetween(earlier: unknown, later: unknown): number {
  return Math.floor((Date.parse(String(later)) - Date.parse(String(earlier))) / 3_600_000);
}

describe("provisioning.NotificationConfiguration", () => {
  const emulator = useEmulator({ faultSeed: 3 });
  let workspaceId: string;
  const post = { method: "POST", path: "/api/v2/workspaces/:id/notification-configurations" };
  const patch = { method: "PATCH", path: "/api/v2/notification-configurations/:id" };

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });

  const args = () => ({ workspaceId, name: "deployments", destinationType: "generic", url });
  const configurations = () => emulator.inspect().provisioning.notificationConfigurations;
  const bodies = (filter: { method: string; path: string }) =>
    emulator.journal
      .requests(filter)
      .map(({ body }) => (body as { data: Record<string, Record<string, unknown>> }).data);

  /** Creates one as the lifecycle does. Waits take no time with these clients. */
  const createWith = (client: ProvisioningClient, wanted: JsonObject): Promise<{ id: string }> => {
    const connection = {
      identity: "here",
      assertSameService: () => undefined,
      clientFor: () => client,
    } as unknown as ServiceConnection;
    return createObject(
      {
        definition,
        connection,
        dialect: "documented",
        urn: undefined,
        ownership: new Ownership(definition, "documented", "here", new OwnNotes()),
        run: noRunOptions,
        signal: new AbortController().signal,
      },
      wanted,
    );
  };

  it("is sent what changed, and nothing else", async () => {
    const managed = new Managed(definition, emulator);
    const full = { ...args(), token: "key-one", triggers: ["run:created"], enabled: false };
    await managed.up(full);
    const changes: readonly [Record<string, unknown>, Record<string, unknown>][] = [
      [{ name: "releases" }, { name: "releases" }],
      [{ url: `${url}/2` }, { url: `${url}/2` }],
      [{ token: "key-two" }, { token: "key-two" }],
      [{ triggers: ["run:errored", "run:errored"] }, { triggers: ["run:errored"] }],
    ];
    let current: Record<string, unknown> = full;
    for (const [change, attributes] of changes) {
      current = { ...current, ...change };
      assert.equal(await managed.up(current as never), "updated");
      assert.deepEqual(bodies(patch).at(-1), {
        type: "notification-configuration",
        id: managed.id,
        attributes,
      });
    }
  });

  it("is sent no token that was never given, and null for one that was removed", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    const id = managed.id ?? "";
    emulator.provisioning.changeNotificationConfiguration(id, { token: "set by hand" });
    await managed.up({ ...args(), name: "releases" });
    assert.equal(configurations()[0]?.token, "set by hand");
    await managed.up({ ...args(), name: "releases", token: "key-one" });
    assert.equal(configurations()[0]?.token, "key-one");
    await managed.up({ ...args(), name: "releases" });
    assert.equal(configurations()[0]?.token, null);
    assert.equal(await managed.up({ ...args(), name: "releases" }), "same");
    await managed.up(args());
    assert.deepEqual(
      [...bodies(post), ...bodies(patch)].map(({ attributes }) => attributes?.token),
      [undefined, undefined, "key-one", null, undefined],
    );
  });

  it("is not changed by the order of triggers and users, nor by repetitions", async () => {
    const users = ["a", "b"].map(() => emulator.provisioning.addUser({ organization: "acme" }).id);
    const triggers = ["run:errored", "run:created", "run:completed"];
    const managed = new Managed(definition, emulator);
    const email = { workspaceId, name: "mail", destinationType: "email" };
    await managed.up({ ...email, triggers, userIds: [...users, ...users] });
    assert.deepEqual(
      bodies(post)[0]?.relationships?.users,
      users.map((id) => ({ type: "users", id })),
    );
    for (const change of [
      { triggers: triggers.toReversed() },
      { triggers: [...triggers, ...triggers] },
      { userIds: users.toReversed() },
    ]) {
      assert.equal(await managed.up({ ...email, triggers, userIds: users, ...change }), "same");
    }
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ ...email, triggers, userIds: users }), "same");
    assert.equal(await managed.up({ ...email, triggers, userIds: users.slice(1) }), "updated");
  });

  it("is enabled for e-mail without a response, since people verify that", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up({ workspaceId, name: "mail", destinationType: "email", enabled: true });
    assert.equal(managed.outputs.enabled, true);
    assert.deepEqual(managed.outputs.deliveryResponses, []);
    const verification = { triggers: { asked: "again" } };
    await managed.up({ workspaceId, name: "mail", destinationType: "email", enabled: true, verification });
    assert.deepEqual(managed.outputs.deliveryResponses, []);
  });

  it("has the defaults of the service where the program says nothing", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    const { enabled, triggers, token, deliveryResponses } = managed.outputs;
    assert.deepEqual([enabled, triggers, token, deliveryResponses], [false, [], undefined, []]);
    const [body] = bodies(post);
    assert.deepEqual(Object.keys(body?.attributes ?? {}).toSorted(), ["destination-type", "name", "url"]);
  });

  it("says when it was made and when it was last changed", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    const { createdAt } = managed.outputs;
    assert.match(createdAt as string, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(managed.outputs.updatedAt, createdAt);
    emulator.advance("2h");
    await managed.up({ ...args(), name: "releases" });
    assert.equal(managed.outputs.createdAt, createdAt);
    assert.equal(hoursBetween(createdAt, managed.outputs.updatedAt), 2);
  });

  describe("where the workspace has one of the same name and destination type", () => {
    let said: string[];
    beforeEach(() => {
      said = [];
    });
    const add = (more: object = {}): string =>
      emulator.provisioning.addNotificationConfiguration({
        workspace: workspaceId,
        name: "deployments",
        url,
        ...more,
      }).id;
    /** What it is told before it is created, and whether it takes over what exists. */
    const look = (wanted: JsonObject) =>
      notificationConfigurationDefinition.find?.(
        {
          client: clientOf(emulator),
          signal: new AbortController().signal,
          progress: () => undefined,
          announce: (kind, message) => said.push(`${kind}: ${message}`),
          managed: new Set(),
          memory: {},
        },
        wanted as never,
        false,
      );
    const create = async (wanted: JsonObject) => {
      assert.equal((await look(wanted))?.id, undefined);
      return createWith(clientOf(emulator), wanted);
    };

    it("is created all the same, and a warning names that one", async () => {
      const existing = add();
      add({ name: "releases" });
      add({ destinationType: "chat-a" });
      const { id } = await create(args());
      assert.equal(configurations().length, 4);
      assert.notEqual(id, existing);
      assert.deepEqual(said, [
        `warning: The workspace ${workspaceId} already has a notification configuration with this name and ` +
          `destination type (${existing}). Another one is created; to manage the existing one instead, set \`adopt: true\`.`,
      ]);
    });

    it("is that one when it may adopt", async () => {
      const existing = add({ triggers: ["run:created"] });
      add({ destinationType: "chat-a" });
      const wanted = { ...args(), triggers: ["run:errored"], adopt: true };
      assert.equal((await look(wanted))?.id, existing);
      const { id } = await createWith(clientOf(emulator), wanted);
      assert.equal(id, existing);
      assert.deepEqual(configurations()[0]?.triggers, ["run:errored"]);
      assert.equal(emulator.journal.count(post), 0);
      assert.deepEqual(said, []);
    });

    it("is created, and adopts none, when there are several", async () => {
      const existing = [add(), add()];
      const { id } = await create({ ...args(), adopt: true });
      assert.ok(!existing.includes(id));
      assert.deepEqual(said, [
        `warning: The workspace ${workspaceId} already has 2 notification configurations with this name and ` +
          `destination type (${existing.join(", ")}), so none was adopted. Another one is created.`,
      ]);
    });

    it("is the new one when its response is lost, not one that was there", async () => {
      const existing = [add(), add()];
      emulator.faults.add({ ...post, drop: "after" });
      const { id } = await create(args());
      assert.ok(!existing.includes(id));
      assert.equal(configurations().length, 3);
      assert.equal(emulator.journal.count(post), 1);
    });

    it("is none of those that were there when the request is lost", async () => {
      add();
      emulator.faults.add({ ...post, drop: "before" });
      await assert.rejects(create(args()), {
        message:
          /may nevertheless have been created, but the search for it failed: the workspace \S+ has no new notification configuration with this name/,
      });
      assert.equal(configurations().length, 1);
    });

    it("is named, and adopted by nobody, when others created one of the same name meanwhile", async () => {
      let stranger = "";
      emulator.faults.add({
        ...post,
        drop: "after",
        where: () => {
          stranger ||= add();
          return true;
        },
      });
      await assert.rejects(create(args()), (error: unknown) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /has several new notification configurations with this name/);
        configurations().forEach(({ id }) => assert.ok(error.message.includes(id)));
        return true;
      });
    });

    it("is each of its resources' own when many of one name are created at once and responses are lost", async () => {
      emulator.faults.add({ ...post, drop: "after", times: 3 });
      const client = clientOf(emulator);
      const made = await Promise.all(Array.from({ length: 6 }, () => createWith(client, args())));
      assert.deepEqual(
        made.map(({ id }) => id).toSorted(),
        configurations()
          .map(({ id }) => id)
          .toSorted(),
      );
      assert.equal(emulator.journal.count(post), 6);
    });
  });

  describe("verification.triggers", () => {
    const verify = { method: "POST", path: "/api/v2/notification-configurations/:id/actions/verify" };
    let receiver: Receiver;
    before(async () => {
      receiver = await startReceiver();
    });
    after(async () => receiver.close());
    const counts = (): [number, number] => [emulator.journal.count(verify), emulator.journal.count(patch)];
    const withTriggers = (triggers: Record<string, string> | undefined, more: object = {}) => ({
      ...args(),
      url: receiver.address,
      enabled: true,
      ...(triggers === undefined ? {} : { verification: { triggers } }),
      ...more,
    });

    it("make the service verify again when they change, and say nothing else to it", async () => {
      const managed = new Managed(definition, emulator);
      await managed.up(withTriggers({ receiver: "1" }));
      const [first] = managed.outputs.deliveryResponses as unknown[];
      assert.equal(await managed.up(withTriggers({ receiver: "1" })), "same");
      assert.deepEqual(counts(), [0, 0]);
      emulator.advance("1h");
      assert.equal(await managed.up(withTriggers({ receiver: "2" })), "updated");
      assert.deepEqual(counts(), [1, 0]);
      assert.notDeepEqual(managed.outputs.deliveryResponses, [first]);
      assert.deepEqual(managed.outputs.verification, { triggers: { receiver: "2" } });
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(withTriggers({ receiver: "2" })), "same");
    });

    it("leave the response to the last verification only, also after an update", async () => {
      const managed = new Managed(definition, emulator);
      const times = (): string[] =>
        (managed.outputs.deliveryResponses as { sentAt: string }[]).map(({ sentAt }) => sentAt);
      await managed.up(withTriggers({ receiver: "1" }));
      const [first] = times();
      const later = (): number[] => times().map((time) => hoursBetween(first, time));
      assert.deepEqual(later(), [0]);
      emulator.advance("1h");
      await managed.up(withTriggers({ receiver: "2" }));
      assert.deepEqual(later(), [1]);
      emulator.advance("1h");
      await managed.up(withTriggers({ receiver: "2" }, { name: "releases" }));
      assert.deepEqual(later(), [2]);
    });

    it("need no request of their own with an update that is verified anyway", async () => {
      const managed = new Managed(definition, emulator);
      await managed.up(withTriggers({ receiver: "1" }));
      await managed.up(withTriggers({ receiver: "2" }, { name: "releases" }));
      assert.deepEqual(counts(), [0, 1]);
      await managed.up(withTriggers({ receiver: "3" }, { name: "deployments", enabled: false }));
      assert.deepEqual(counts(), [1, 2], "a disabled one is saved without verification");
    });

    it("are applied again by the next update when the receiver refuses", async () => {
      const managed = new Managed(definition, emulator);
      await managed.up(withTriggers({ receiver: "1" }));
      receiver.status = 500;
      await assert.rejects(managed.up(withTriggers({ receiver: "2" })), { message: /400/ });
      receiver.status = 200;
      assert.equal(await managed.up(withTriggers({ receiver: "2" })), "updated");
      assert.deepEqual(counts(), [2, 0]);
    });

    it("wait for the receiver where the program says how long", async () => {
      const managed = new Managed(definition, emulator);
      await managed.up(withTriggers({ receiver: "1" }));
      emulator.faults.add({ ...verify, status: 400, body: { errors: [{ title: "not reached" }] } });
      const verification = { timeout: "30s", interval: 0.01, triggers: { receiver: "2" } };
      assert.equal(await managed.up({ ...withTriggers(undefined), verification }), "updated");
      assert.deepEqual(counts(), [2, 0]);
    });
  });

  it("changes its destination type in a workspace that is full", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    for (let number = 1; number <= 19; number++) {
      emulator.provisioning.addNotificationConfiguration({ workspace: workspaceId, name: `n-${number}` });
    }
    assert.equal(await managed.up({ ...args(), destinationType: "chat-a" }), "replaced");
    assert.equal(configurations().length, 20);
  });

  it("explains the limit when a workspace is full", async () => {
    for (let number = 1; number <= 20; number++) {
      emulator.provisioning.addNotificationConfiguration({ workspace: workspaceId, name: `n-${number}` });
    }
    await assert.rejects(new Managed(definition, emulator).up(args()), {
      message: new RegExp(
        `returned 422: .*The workspace ${workspaceId} already has 20 notification configurations; the maximum is 20`,
      ),
    });
  });

  it("keeps the service's words when a refusal has another reason, or the workspace cannot be counted", async () => {
    for (const refused of [403, 409, 422]) {
      for (const countable of [true, false]) {
        const words = `no room for ${refused}`;
        emulator.journal.clear();
        emulator.faults.add({ ...post, status: refused, body: { errors: [{ title: words }] } });
        if (!countable) {
          const where = (): boolean => emulator.journal.count(post) > 0;
          emulator.faults.add({ method: "GET", where, status: 403 });
        }
        await assert.rejects(new Managed(definition, emulator).up(args()), {
          message: new RegExp(`returned ${refused}: ${words}\\.`),
        });
        emulator.faults.clear();
      }
    }
  });
});

describe("functions of notification configurations", () => {
  const emulator = useEmulator();
  let receiver: Receiver;
  let workspace: string;

  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
  });
  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    receiver.status = 200;
    receiver.requests.length = 0;
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });

  const add = (name: string, more: object = {}) =>
    emulator.provisioning.addNotificationConfiguration({ workspace, name, ...more });

  describe("provisioning.getNotificationConfiguration", () => {
    it("reads one", async () => {
      const record = add("deployments", {
        url: receiver.address,
        token: "a key",
        triggers: ["run:errored", "run:created"],
        enabled: true,
      });
      assert.deepEqual(await getNotificationConfiguration({ id: record.id }), {
        id: record.id,
        workspaceId: workspace,
        name: "deployments",
        destinationType: "generic",
        enabled: true,
        url: receiver.address,
        triggers: ["run:created", "run:errored"],
        userIds: [],
        deliveryResponses: [],
        createdAt: record.createdAt,
        updatedAt: record.updatedAt,
      });
    });
  });

  describe("provisioning.listNotificationConfigurations", () => {
    it("lists those of one workspace, all pages of them, in the service's order", async () => {
      const names = Array.from({ length: 130 }, (_, index) => `n-${index}`);
      names.forEach((name) => add(name));
      const other = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      emulator.provisioning.addNotificationConfiguration({ workspace: other, name: "of others" });
      const { notificationConfigurations } = await listNotificationConfigurations({ workspaceId: workspace });
      assert.deepEqual(
        notificationConfigurations.map(({ name }) => name),
        names,
      );
      assert.deepEqual(
        emulator.journal
          .requests()
          .map(({ query }) => `${String(query["page[number]"])}/${String(query["page[size]"])}`),
        ["1/100", "2/100"],
      );
    });
  });

  describe("provisioning.verifyNotificationConfiguration", () => {
    it("makes the service ask the receiver, and reads what it returned", async () => {
      const { id } = add("deployments", { url: `${receiver.address}/hook`, token: "a key" });
      const { deliveryResponses, enabled } = await verifyNotificationConfiguration({ id });
      const [request] = receiver.requests;
      const notification = parse(request?.body ?? "", {
        signature: request?.headers[signatureHeader],
        token: "a key",
      });
      assert.ok(notification.kind === "verification");
      assert.equal(notification.notificationConfigurationId, id);
      const [response] = deliveryResponses;
      assert.deepEqual(
        [response?.url, response?.body, response?.code, response?.successful, enabled],
        [`${receiver.address}/hook`, "noted", "200", true, false],
      );
      assert.equal(response?.headers["transfer-encoding"]?.[0], "chunked");
      assert.match(response.sentAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
      const [sent] = emulator.journal.requests({ method: "POST" });
      assert.deepEqual([sent?.body, sent?.headers["content-type"]], [null, "application/vnd.api+json"]);
    });

    it("fails with the service's reason when the receiver refuses, after one request", async () => {
      receiver.status = 500;
      const { id } = add("deployments", { url: receiver.address });
      const error = await failure(verifyNotificationConfiguration({ id }));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, 400);
      assert.match(error.message, /verification failed: .* could not be completed: HTTP 500/);
      assert.equal(receiver.requests.length, 1);
      const { deliveryResponses } = await getNotificationConfiguration({ id });
      assert.deepEqual([deliveryResponses[0]?.code, deliveryResponses[0]?.successful], ["500", false]);
    });

    it("is not repeated when its response is lost, for the receiver has been asked", async () => {
      const { id } = add("deployments", { url: receiver.address });
      emulator.faults.add({ method: "POST", drop: "after" });
      const error = await failure(verifyNotificationConfiguration({ id }));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(receiver.requests.length, 1);
    });
  });
});

describe("the provisioning service of the products", () => {
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" } });
  let receiver: Receiver;
  let workspaceId: string;

  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
  });
  // A program finds the product as its own tools do.
  useEnvironment(() => ({
    PROVISIONING_DIALECT: "hashicorp",
    TFE_ADDRESS: emulator.provisioning.address,
    TFE_TOKEN: emulator.provisioning.token,
  }));
  beforeEach(() => {
    receiver.status = 200;
    receiver.requests.length = 0;
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });

  const manage = (definition: unknown): Managed =>
    new Managed(definition, emulator, { "trivium:provisioningDialect": "hashicorp" });
  const lastBody = (method: string): unknown => emulator.journal.requests({ method }).at(-1)?.body;

  describe("NotificationConfiguration", () => {
    const chats: readonly [string, string][] = [
      ["chat-a", "slack"],
      ["chat-b", "microsoft-teams"],
    ];
    for (const [name, wireName] of chats) {
      it(`is ${wireName} on the wire and ${name} everywhere else`, async () => {
        const args: Properties = {
          workspaceId,
          name: "deployments",
          destinationType: name,
          url: `${receiver.address}/hook`,
          enabled: true,
          triggers: ["run:errored", "assessment:check_failure"],
        };
        const managed = manage(notificationConfigurationDefinition);
        assert.equal(await managed.up(args), "created");
        assert.deepEqual(lastBody("POST"), {
          data: {
            type: "notification-configurations",
            attributes: {
              "destination-type": wireName,
              name: "deployments",
              enabled: true,
              url: `${receiver.address}/hook`,
              triggers: ["run:errored", "assessment:check_failure"],
            },
          },
        });
        assert.equal(receiver.requests.length, 1);
        assert.equal(managed.outputs.destinationType, name);
        const [response] = managed.outputs.deliveryResponses as { sentAt: string; successful: boolean }[];
        assert.match(response?.sentAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
        assert.equal(response?.successful, true);
        assert.equal(await managed.up(args), "same");
        assert.equal(await managed.refresh(), true);
        assert.equal(managed.inputs.destinationType, name);
        assert.equal(await managed.up(args), "same");

        const id = managed.id ?? "";
        assert.equal((await getNotificationConfiguration({ id })).destinationType, name);
        const listed = await listNotificationConfigurations({ workspaceId });
        assert.deepEqual(
          listed.notificationConfigurations.map(({ destinationType }) => destinationType),
          [name],
        );
        const gotten: { readonly props?: Readonly<Record<string, unknown>> } | undefined =
          await createLifecycle(notificationConfigurationDefinition).read(id, {});
        assert.deepEqual([gotten.props?.destinationType, gotten.props?.workspaceId], [name, workspaceId]);

        assert.equal(await managed.up({ ...args, name: "releases" }), "updated");
        assert.deepEqual(lastBody("PATCH"), {
          data: { type: "notification-configurations", id, attributes: { name: "releases" } },
        });
        await managed.destroy();
        assert.deepEqual(emulator.inspect().provisioning.notificationConfigurations, []);
      });
    }

    for (const [name, product] of chats) {
      it(`is one value as ${name} and as ${product}: for the wire, for state and in plans`, async () => {
        const args = (destinationType: string): Properties => ({
          workspaceId,
          name: "deployments",
          destinationType,
          url: `${receiver.address}/hook`,
        });
        const managed = manage(notificationConfigurationDefinition);
        assert.equal(await managed.up(args(product)), "created");
        const { data } = lastBody("POST") as { data: { attributes: Properties } };
        assert.equal(data.attributes["destination-type"], product);
        assert.equal(managed.outputs.destinationType, name);
        assert.equal(await managed.up(args(product)), "same");
        assert.equal(await managed.refresh(), true);
        assert.deepEqual([managed.inputs.destinationType, managed.outputs.destinationType], [product, name]);
        for (const spelling of [product, name, product]) {
          assert.equal(await managed.up(args(spelling)), "same");
        }
        assert.equal(await managed.up(args("generic")), "replaced");
        assert.equal(await managed.up(args(product)), "replaced");
        assert.equal(emulator.inspect().provisioning.notificationConfigurations[0]?.destinationType, name);
      });
    }

    it("has its notifications signed in the product's header", async () => {
      const args = {
        workspaceId,
        name: "signed",
        destinationType: "generic",
        url: receiver.address,
        token: "a signing key",
        enabled: true,
      };
      await manage(notificationConfigurationDefinition).up(args);
      const { headers, body } = receiver.requests[0] ?? assert.fail("nothing was received");
      assert.equal(headers["x-svc-notification-signature"], undefined);
      const notification = parse(body, { signature: signatureOf(headers), token: "a signing key" });
      assert.equal(notification.kind, "verification");
    });
  });
});
