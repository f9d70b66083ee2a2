import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import type { ServiceConnection } from "../../sdk/connection/connect";
import { OwnNotes } from "../../sdk/engine/shared-notes";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { notificationConfigurationDefinition } from "../../sdk/provisioning/notification-configuration";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import type { JsonObject } from "../../sdk/base/json";
import { createObject } from "../../sdk/resource/creation";
import { Ownership } from "../../sdk/resource/ownership";
import { noRunOptions } from "../../sdk/resource/run-options";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { clientOf, type Surroundings } from "./emulated-client";

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
      assertMadeHere: () => undefined,
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

  it("keeps users that were never named, and sends none that are no longer", async () => {
    const { id: userId } = emulator.provisioning.addUser({ organization: "acme" });
    const managed = new Managed(definition, emulator);
    const email = { workspaceId, name: "mail", destinationType: "email" };
    await managed.up({ ...email, userIds: [userId] });
    await managed.up(email);
    assert.deepEqual(configurations()[0]?.userIds, []);
    assert.deepEqual(bodies(patch)[0]?.relationships, { users: [] });
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

  it("makes no request when only the library is concerned", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    const before = emulator.journal.count();
    assert.equal(await managed.up({ ...args(), verification: { timeout: "30s" } }), "updated");
    assert.equal(await managed.up({ ...args(), verification: { timeout: "30s" }, adopt: true }), "same");
    assert.equal(await managed.up(args()), "updated");
    assert.equal(emulator.journal.count(), before);
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
    const look = (wanted: JsonObject, surroundings: Surroundings = emulator) =>
      notificationConfigurationDefinition.find?.(
        {
          client: clientOf(surroundings),
          signal: new AbortController().signal,
          progress: () => undefined,
          announce: (kind, message) => said.push(`${kind}: ${message}`),
          managed: new Set(),
          memory: {},
        },
        wanted as never,
        false,
      );
    const create = async (wanted: JsonObject, surroundings: Surroundings = emulator) => {
      assert.equal((await look(wanted, surroundings))?.id, undefined);
      return createWith(clientOf(surroundings), wanted);
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

    it("says nothing where there is none", async () => {
      await create({ ...args(), adopt: true });
      assert.deepEqual(said, []);
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

    it("is created by a service that cannot list to the end, once and with a warning", async () => {
      const existing = {
        id: "nc-1",
        type: "notification-configurations",
        attributes: { name: "deployments", enabled: false, url, "destination-type": "generic" },
        relationships: { subscribable: { data: { id: workspaceId, type: "workspaces" } } },
      };
      const server = await startServer((response, { method }) => {
        const attributes = { ...existing.attributes, triggers: [], "delivery-responses": [] };
        if (method === "POST") {
          json(response, 201, { data: { ...existing, id: "nc-2", attributes } });
        } else {
          const pagination = { "current-page": 1, "next-page": null, "total-count": 9 };
          json(response, 200, { data: [existing], meta: { pagination } });
        }
      });
      try {
        const { id } = await create(args(), { provisioning: { address: server.address, token: "t" } });
        assert.equal(id, "nc-2");
        assert.match(said.join(), /already has a notification configuration .* \(nc-1\)/);
      } finally {
        stopServers();
      }
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

    it("make no request where nothing about them changes", async () => {
      const managed = new Managed(definition, emulator);
      await managed.up(withTriggers(undefined));
      const before = emulator.journal.count();
      const verification = { timeout: "30s" };
      assert.equal(await managed.up(withTriggers(undefined, { verification })), "updated");
      assert.equal(
        await managed.up(withTriggers(undefined, { verification: { ...verification, triggers: {} } })),
        "updated",
      );
      assert.equal(emulator.journal.count(), before);
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

  it("says what may be there when neither its creation nor the look for it is answered", async () => {
    emulator.faults.add({ ...post, drop: "after" });
    emulator.faults.add({ method: "GET", skip: 1, drop: "before" });
    const error = await new Managed(definition, emulator).up(args()).then(
      () => assert.fail("it was created"),
      (reason: unknown) => reason as Error,
    );
    assert.match(
      error.message,
      /may nevertheless have been created, but the search for it failed: .*with `adopt: true`: this adopts/,
    );
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

  it("is created 100 times at once, each once, by a service that turns half of the requests away", async () => {
    const workspaces = Array.from(
      { length: 5 },
      () => emulator.provisioning.addWorkspace({ organization: "acme" }).id,
    );
    emulator.faults.add({
      status: 429,
      headers: { "X-RateLimit-Reset": "0.3" },
      probability: 0.5,
    });
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    // Waits take no time with this client.
    const client = clientOf(emulator, { signal });
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        createWith(client, { ...args(), workspaceId: workspaces[index % 5] ?? "", name: `n-${index}` }),
      ),
    );
    assert.deepEqual(
      made.map(({ id }) => id).sort(),
      configurations()
        .map(({ id }) => id)
        .sort(),
    );
    assert.equal(emulator.journal.count({ ...post, status: 201 }), 100);
    // One creation each and three lists or so a workspace; every second request in vain.
    const requests = emulator.journal.count();
    assert.ok(requests < 300, String(requests));
  });

  it("is read with one list for many of a workspace", async () => {
    const workspaces = [workspaceId, emulator.provisioning.addWorkspace({ organization: "acme" }).id];
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const step = {
      client: clientOf(emulator, { signal }),
      signal,
      progress: () => undefined,
      announce: () => undefined,
      managed: new Set<string>(),
      memory: {},
    };
    const all = workspaces.flatMap((workspace) =>
      Array.from({ length: 20 }, (_, index) =>
        emulator.provisioning.addNotificationConfiguration({ workspace, name: `n-${index}`, url }),
      ),
    );
    const read = await Promise.all(
      all.map(({ id, workspaceId: workspace }) =>
        notificationConfigurationDefinition.read(step, id, { workspaceId: workspace }),
      ),
    );
    assert.deepEqual(
      read.map((state) => state?.name),
      all.map(({ name }) => name),
    );
    assert.ok(emulator.journal.count() < 4 + 0.2 * all.length, String(emulator.journal.count()));
  });

  it("is not gone because its token may no longer see the workspace", async () => {
    const managed = new Managed(definition, emulator);
    await managed.up(args());
    const token = emulator.provisioning.addToken({ access: "read" });
    const error = await failure(
      Promise.resolve(
        notificationConfigurationDefinition.read(
          {
            client: clientOf(emulator, { token }),
            signal: new AbortController().signal,
            progress: () => undefined,
            announce: () => undefined,
            managed: new Set(),
            memory: {},
          },
          managed.id ?? "",
          { workspaceId },
        ),
      ),
    );
    assert.match(error.message, /State is unchanged/);
  });
});
