import assert from "node:assert/strict";
import { definitionIn } from "../../sdk/resource/definition";
import { z } from "zod";
import { ServiceError } from "../../sdk/base/errors";
import type { Dialect } from "../../sdk/base/settings";
import {
  getNotificationConfiguration,
  listNotificationConfigurations,
  notificationConfigurationDefinition as definition,
  notificationKind,
  verifyNotificationConfiguration,
} from "../../sdk/provisioning/notification-configuration";
import { parse, signatureHeader } from "../../sdk/provisioning/webhook";
import { checkArguments } from "../../sdk/resource/lifecycle/check";
import { useEnvironment } from "../connection/environment";
import { useReceiver } from "../engine/support/receiver";
import { failure } from "../http/calls";
import { lifecycleOn, FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { stepOn } from "./emulated-client";

const url = "https://hooks.example.com/services/canary";
const workspaceId = "ws-web";
const args = { workspaceId, name: "deployments", destinationType: "generic", url };

describe("arguments and responses of provisioning.NotificationConfiguration", () => {
  const users = [{ id: "user-1", type: "users" }];
  const email = { "destination-type": "email" };
  const subscribable = (id: string, type: string) => ({ subscribable: { data: { id, type } } });
  const delivered = { url, body: "noted", code: "200", "sent-at": "2026-01-02 03:04:05 UTC" };
  const headers = { "content-type": ["text/plain"] };
  const delivery = (change: object, read: object = {}) => {
    const { "sent-at": sentAt, ...others } = delivered;
    const response = { ...delivered, headers, successful: "true", ...change };
    const expected = { ...others, headers, sentAt, successful: true, ...read };
    const state = { userIds: [], deliveryResponses: [expected] };
    return [{}, { "delivery-responses": [response] }, state] as const;
  };
  const noLists = { triggers: null, "delivery-responses": null };
  const responses: readonly (readonly [string, relationships: object, attributes: object, Properties])[] = [
    ["users as a bare list", { users }, email, { userIds: ["user-1"], url: null }],
    ["users as a list in data", { users: { data: users } }, email, { userIds: ["user-1"], url: null }],
    ["no users, although it can have some", {}, email, { url: null }],
    ["no users, because it never has any", {}, {}, { userIds: [] }],
    ["a workspace", subscribable("ws-1", "workspaces"), {}, { userIds: [], workspaceId: "ws-1" }],
    ["a project instead of a workspace", subscribable("prj-1", "projects"), {}, { userIds: [] }],
    ["null for lists", {}, noLists, { triggers: [], deliveryResponses: [], userIds: [] }],
    [
      "a token, which is not read, and a URL of null",
      {},
      { token: "canary", url: null },
      { url: null, userIds: [] },
    ],
    ["a delivery as documented", ...delivery({})],
    ["a delivery that failed", ...delivery({ successful: "false" }, { successful: false })],
    ["a delivery with a boolean", ...delivery({ successful: false, code: 200 }, { successful: false })],
    ["a delivery without contents", ...delivery({ body: null, headers: null }, { body: "", headers: {} })],
    ["a delivery with headers as strings", ...delivery({ headers: { "content-type": "text/plain" } })],
  ];
  for (const [what, relationships, more, expected] of responses) {
    it(`the response of a notification configuration can contain ${what}`, () => {
      const common = { name: "deployments", enabled: true };
      const attributes = { ...common, "destination-type": "generic", ...more };
      const object = { type: "notification-configurations", id: "nc-1", relationships, attributes };
      const { destinationType, ...state } = notificationKind.shape(z, "documented").parse(object).state;
      assert.deepEqual(JSON.parse(JSON.stringify(state)), { ...common, ...expected });
    });
  }

  it("the response of a notification configuration cannot contain a delivery that lacks what each one has", () => {
    const attributes = { name: "deployments", "destination-type": "generic", enabled: true };
    const [, { "delivery-responses": responses }] = delivery({});
    for (const [member] of Object.entries(delivered).filter(([name]) => name !== "body")) {
      for (const missing of [undefined, null]) {
        const lacking = responses.map((response) => ({ ...response, [member]: missing }));
        const changed = { ...attributes, "delivery-responses": lacking };
        const object = { type: "notification-configurations", id: "nc-1", attributes: changed };
        const { error } = notificationKind.shape(z, "documented").safeParse(object);
        const places = (error?.issues ?? []).map(({ path }) => path.join("."));
        assert.deepEqual(places, [`attributes.delivery-responses.0.${member}`], String(missing));
      }
    }
  });

  const said = (given: Properties, dialect: Dialect): string => {
    const { failures, warnings } = checkArguments(definitionIn(definition, dialect), z, {
      ...args,
      ...given,
    });
    const refused = failures.map(({ property, reason }) => `${property} ${reason}`);
    return [...refused, ...warnings.map((warning) => `warning: ${warning}`)].join("; ");
  };
  const toUsers = { destinationType: "email", url: null };
  const userIds = ["user-1"];
  const notSigned = 'token is only valid for destinationType "generic": others are not signed';
  const notEmail = 'url is only valid for other types of destinations than "email"';
  const noUsers = 'userIds is only valid for destinationType "email"';
  const everybody = "warning: userIds is missing: every member with access to the project gets the emails";
  /** The documents do not forbid it: a warning for each. */
  const unused = (...reasons: readonly string[]): string =>
    reasons.map((reason) => `warning: ${reason.replace(" ", " is not used: it ")}`).join("; ");
  const unretried = "verification has an interval but no timeout, so nothing is retried";
  const oneOf = (name: string, words: string): string =>
    `${name} must be one of ${words.replace(/\S+/g, '"$&"').replaceAll(" ", ", ")}`;
  const [events, types] = [
    "run:created run:planning run:needs_attention run:applying run:completed run:errored assessment:drifted assessment:failed",
    "generic email chat-a chat-b",
  ];
  const noType = oneOf("destinationType", types);
  // What the SDK writes for an output in a string: output.ts of @pulumi/pulumi 3.270.0.
  const inText =
    "Calling [toString] on an [Output<T>] is not supported.\n\nTo get the value of an Output<T> as an Output<string>";
  const withOutput =
    "contains the SDK's message about an output in a string instead of the output's value: use pulumi.interpolate or the output's apply method";
  const urls = ["hooks.example.com/x", "ftp://hooks.example.com", "https:///x", " http://x", ""];
  const rows: readonly (readonly [Properties, documented?: string, hashicorp?: string])[] = [
    [{ destinationType: "chat-a", token: null, userIds: null }],
    [{ token: "a key", verification: { timeout: null, interval: null, triggers: null } }],
    [{ ...toUsers, userIds, verification: {} }],
    [{ url: null }, 'url is required when destinationType is "generic"'],
    [{ url: null, destinationType: "chat-b" }, 'url is required when destinationType is "chat-b"'],
    [{ destinationType: "email", userIds: [] }, unused(notEmail), `${notEmail}; ${everybody}`],
    [
      { destinationType: "email", token: "a key", userIds },
      unused(notEmail, notSigned),
      `${notEmail}; ${notSigned}`,
    ],
    [
      { destinationType: "chat-b", token: "a key", userIds },
      unused(notSigned, noUsers),
      `${notSigned}; ${noUsers}`,
    ],
    [{ userIds }, unused(noUsers), noUsers],
    [{ ...toUsers }, "", everybody],
    ...urls.map((wrong) => [{ url: wrong }, "url must be an HTTP or HTTPS URL"] as const),
    [{ url: "https://hooks.example.com/a b" }, "url must be an HTTP or HTTPS URL"],
    [{ url: "https://hooks.example.com/a\nb" }, "url must be an HTTP or HTTPS URL"],
    [{ url: `https://hooks.example.com/${inText}` }, `url ${withOutput}`],
    [{ name: inText }, `name ${withOutput}`],
    [{ userIds: [inText], ...toUsers }, `userIds ${withOutput}`],
    [{ verification: { timeout: 30, interval: "0s" } }, "verification.interval must be greater than 0"],
    [{ verification: { interval: 5 } }, `warning: ${unretried}`],
    [{ name: "" }, "warning: name is empty"],
    [{ token: "" }, "warning: token is empty: notifications are not signed"],
    [{ ...toUsers, userIds: ["u-1", ""] }, "warning: userIds has an empty item"],
    [{ destinationType: "slack" }, noType, ""],
    [{ destinationType: "microsoft-teams" }, noType, ""],
    [{ destinationType: "fax" }, noType, oneOf("destinationType", `${types} slack microsoft-teams`)],
    [{ triggers: ["workspace:deleted"] }, oneOf("triggers[0]", events), ""],
  ];
  for (const [given, documented = "", hashicorp = documented] of rows) {
    it(`the arguments of a notification configuration are accepted or rejected by dialect: ${JSON.stringify(given)}`, () =>
      assert.deepEqual([said(given, "documented"), said(given, "hashicorp")], [documented, hashicorp]));
  }

  const projectId = "prj-1";
  const teamId = "team-1";
  const ofTeam = 'triggers of a team can only have "change_request:created": the service might reject others';
  const subscribers: readonly (readonly [Properties, string])[] = [
    [{}, "workspaceId is required without projectId and teamId"],
    [{ projectId }, ""],
    [{ teamId, triggers: ["change_request:created"] }, ""],
    [{ workspaceId, projectId }, "projectId must not be set together with workspaceId"],
    [{ projectId, teamId }, "teamId must not be set together with projectId"],
    [{ teamId, triggers: ["run:errored"] }, `warning: ${ofTeam}`],
    [{ ...toUsers, workspaceId, emailAddresses: ["ops@acme.example"] }, ""],
    [{ workspaceId, emailAddresses: ["ops@acme.example"] }, noUsers.replace("userIds", "emailAddresses")],
  ];
  for (const [given, expected] of subscribers) {
    it(`the arguments of a notification configuration name exactly one workspace, project or team in the hashicorp dialect: ${JSON.stringify(given)}`, () =>
      assert.equal(said({ workspaceId: null, ...given }, "hashicorp"), expected));
  }
});

const post = { method: "POST", path: "/api/v2/workspaces/:id/notification-configurations" };
const patch = { method: "PATCH", path: "/api/v2/notification-configurations/:id" };
const verify = { method: "POST", path: "/api/v2/notification-configurations/:id/actions/verify" };
const seed = {
  organizations: [{ name: "acme" }],
  projects: [{ id: "prj-web", organization: "acme", name: "web" }],
  workspaces: [{ id: workspaceId, organization: "acme", project: "web" }],
  users: ["ada", "bob"].map((name) => ({ id: `user-${name}`, organization: "acme" })),
};

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
  const added = { workspace: workspaceId, name: "deployments", url };
  const add = (more: object = {}): string =>
    emulator.provisioning.addNotificationConfiguration({ ...added, ...more }).id;
  const bodies = (filter: typeof post) =>
    emulator.journal.requests(filter).map(({ body }) => (body as { readonly data: unknown }).data);

  it("a notification configuration's requests contain the program's arguments, then only what changed, with null for a token that was removed", async () => {
    const type = "notification-configuration";
    await managed.up(args);
    const attributes = { name: "deployments", "destination-type": "generic", url };
    assert.deepEqual(bodies(post), [{ type, attributes }]);
    const { enabled, triggers, token, deliveryResponses } = managed.outputs;
    assert.deepEqual([enabled, triggers, token, deliveryResponses], [false, [], undefined, []]);
    emulator.provisioning.changeNotificationConfiguration(managed.id ?? "", { token: "set by hand" });
    const steps: readonly (readonly [Properties, sent: Properties, token: string | null])[] = [
      [{ name: "b" }, { name: "b" }, "set by hand"],
      [{ url: `${url}/2` }, { name: "deployments", url: `${url}/2` }, "set by hand"],
      [{ token: "key-one" }, { url, token: "key-one" }, "key-one"],
      [{ triggers: ["run:errored"] }, { token: null, triggers: ["run:errored"] }, null],
      [{}, { triggers: [] }, null],
    ];
    for (const [more, changed, kept] of steps) {
      await managed.up({ ...args, ...more });
      assert.deepEqual(bodies(patch).at(-1), { type, id: managed.id, attributes: changed });
      assert.equal(configurations()[0]?.token, kept);
    }
  });

  it("a notification configuration for email is enabled without a response, because people verify the addresses", async () => {
    const email = { workspaceId, name: "mail", destinationType: "email", enabled: true };
    const userIds = ["user-ada", "user-ada"];
    for (const verification of [null, { triggers: { asked: "again" } }]) {
      await managed.up({ ...email, userIds, verification });
      assert.deepEqual([managed.outputs.enabled, managed.outputs.deliveryResponses], [true, []]);
    }
    const [{ relationships } = assert.fail()] = bodies(post) as { readonly relationships: unknown }[];
    assert.deepEqual(relationships, { users: [{ type: "users", id: "user-ada" }] });
  });

  const another = ". Another one is created; to manage the existing one instead, set `adopt: true`.";
  const none = ", so none was adopted. Another one is created.";
  for (const [title, count, adopt, found, rest] of [
    [
      "is created all the same, and a warning names the existing one",
      1,
      false,
      "a notification configuration",
      another,
    ],
    ["is created, and adopts none, when there are several", 2, true, "2 notification configurations", none],
    ["adopts the only existing one with adopt", 1, true, undefined, ""],
  ] as const) {
    it(`a notification configuration whose name is taken ${title}`, async () => {
      const existing = Array.from({ length: count }, () => add());
      add({ name: "releases" });
      add({ destinationType: "chat-a" });
      const step = stepOn(emulator);
      await definition.look?.(step, { ...args, adopt } as never);
      const same = `with this name and destination type (${existing.join(", ")})${rest}`;
      const warnings = found ? [`warning: The workspace ws-web already has ${found} ${same}`] : [];
      assert.deepEqual(step.announced, warnings);
      await managed.up({ ...args, adopt });
      assert.equal(existing.includes(managed.id ?? ""), found === undefined);
      assert.equal(configurations().length, count + 2 + warnings.length);
    });
  }

  it("the adopted configuration is the new one if its response is lost, even if many with one name are created at once", async () => {
    const existing = [add(), add()];
    emulator.faults.add({ ...post, drop: "after", times: 3 });
    const all = Array.from({ length: 6 }, () => new FakeEngine(definition, emulator));
    await Promise.all(all.map((each) => each.up(args)));
    const ids = new Set([...existing, ...all.map(({ id }) => id)]);
    assert.deepEqual(ids, new Set(configurations().map(({ id }) => id)));
    assert.deepEqual([ids.size, emulator.journal.count(post)], [8, 6]);
  });

  for (const [drop, created, message] of [
    ["before", 0, "might still have been created, but looking for it failed: .* has no new"],
    ["after", 2, "has several new"],
  ] as const) {
    it(`no configuration is adopted if ${created} with its name are new after the connection is lost ${drop} the creation`, async () => {
      const former = add();
      let stranger = "";
      const where = (): boolean => (stranger ||= created > 0 ? add() : "none") !== "";
      emulator.faults.add({ ...post, drop, where });
      await assert.rejects(managed.up(args), ({ message: found }: Error) => {
        assert.match(found, new RegExp(`${message} notification configurations? with this name`));
        const ids = configurations().map(({ id }) => id);
        assert.deepEqual([ids.length, ids.filter((id) => !found.includes(id))], [created + 1, [former]]);
        return true;
      });
    });
  }

  const counts = (): [number, number] => [emulator.journal.count(verify), emulator.journal.count(patch)];
  const withTriggers = (version: string, more: object = {}): Properties => ({
    ...args,
    url: receiver.address,
    enabled: true,
    verification: { triggers: { receiver: version } },
    ...more,
  });

  it("verification triggers make the service verify again when they change, and only the last response is kept", async () => {
    const times: string[] = [];
    for (const version of ["1", "2"]) {
      await managed.up(withTriggers(version));
      times.push(...(managed.outputs.deliveryResponses as { sentAt: string }[]).map(({ sentAt }) => sentAt));
      assert.equal(await managed.up(withTriggers(version)), "same");
      emulator.advance("1h");
    }
    assert.deepEqual([times.length, new Set(times).size, counts()], [2, 2, [1, 0]]);
    await managed.refresh();
    assert.equal(await managed.up(withTriggers("2")), "same");
  });

  it("verification triggers do not cause an additional request for an update that is verified anyway", async () => {
    await managed.up(withTriggers("1"));
    await managed.up(withTriggers("2", { name: "releases" }));
    assert.deepEqual(counts(), [0, 1]);
    await managed.up(withTriggers("3", { enabled: false }));
    assert.deepEqual(counts(), [1, 2], "a disabled one is saved without verification");
  });

  it("verification triggers are applied by the next update if the receiver rejects the request", async () => {
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

  it("the error for a notification configuration's 404, which might hide the workspace, names the missing permission and doctor", async () => {
    emulator.faults.add({ ...post, status: 404 });
    await assert.rejects(managed.up(args), {
      message:
        /404.*requires the permission to administer the workspace\. `npx pulumi-trivium doctor provisioning` checks the token\.$/,
    });
  });

  it("a notification configuration is not saved or updated while the receiver rejects requests, and the next update corrects it", async () => {
    const created = { ...args, url: receiver.address, enabled: true };
    receiver.status = 500;
    const refused =
      'create the notification configuration "deployments" in the workspace ws-web: .* returned 400';
    await assert.rejects(managed.up(created), {
      message: new RegExp(`^Could not ${refused}: verification failed: .* HTTP 500\\.`),
    });
    assert.deepEqual([receiver.requests.length, configurations(), managed.id], [1, [], undefined]);

    receiver.status = 200;
    await managed.up(created);
    const { outputs } = managed;
    receiver.status = 503;
    const updated = { ...created, name: "releases", triggers: ["run:completed"] };
    await assert.rejects(managed.up(updated), {
      message: /Could not update the notification configuration nc-\w+: .* HTTP 503\./,
    });
    const [{ name, triggers } = assert.fail()] = configurations();
    assert.deepEqual([name, triggers, managed.outputs], ["deployments", [], outputs]);

    receiver.status = 204;
    await managed.up(updated);
    assert.deepEqual([configurations()[0]?.name, managed.outputs.name], ["releases", "releases"]);
  });

  it("the error for a notification configuration does not mention the limit if the rejection has another reason, or if the configurations cannot be counted", async () => {
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

  it("notification configurations that are created at the same time share one list to look for existing ones", async () => {
    const step = stepOn(emulator);
    const id = add();
    const find = async (name: string) => definition.look?.(step, { ...args, name, adopt: true } as never);
    const found = await Promise.all(["deployments", "releases"].map(find));
    const ids = found.map((look) => look?.existing?.id);
    assert.deepEqual([ids, emulator.journal.count()], [[id, undefined], 1]);
  });

  it("verifyNotificationConfiguration makes the service send a request to the receiver, and getNotificationConfiguration reads the response", async () => {
    const id = add({ url: receiver.address, token: "a key", triggers: ["run:errored", "run:created"] });
    const verified = await verifyNotificationConfiguration({ id });
    const [{ body, headers } = assert.fail()] = receiver.requests;
    const { kind, raw } = parse(body, { signature: headers[signatureHeader], token: "a key" });
    assert.deepEqual([kind, (raw as Properties).notification_configuration_id], ["verification", id]);
    assert.deepEqual(await getNotificationConfiguration({ id }), verified);
    const [{ createdAt, updatedAt, deliveryResponses: stored } = assert.fail()] = configurations();
    const { deliveryResponses, ...rest } = verified;
    assert.deepEqual(rest, {
      id,
      workspaceId,
      name: "deployments",
      destinationType: "generic",
      enabled: false,
      createdAt,
      updatedAt,
      url: receiver.address,
      triggers: ["run:created", "run:errored"],
      userIds: [],
    });
    const [{ headers: returned, ...response } = assert.fail()] = deliveryResponses;
    const delivered = { url: receiver.address, body: "noted", code: "200", successful: true };
    assert.deepEqual(response, { ...delivered, sentAt: stored[0]?.sentAt });
    assert.equal(returned["transfer-encoding"]?.[0], "chunked");
  });

  it("verifyNotificationConfiguration fails with the service's reason if the receiver rejects the request, without a retry", async () => {
    receiver.status = 500;
    const id = add({ url: receiver.address });
    const error = await failure(verifyNotificationConfiguration({ id }), ServiceError);
    assert.equal(error.status, 400);
    assert.match(error.message, /verification failed: .* could not be completed: HTTP 500/);
    assert.equal(receiver.requests.length, 1);
    const [{ code, successful } = assert.fail()] = (await getNotificationConfiguration({ id }))
      .deliveryResponses;
    assert.deepEqual([code, successful], ["500", false]);
  });

  it("verifyNotificationConfiguration is not retried if its response is lost, because the receiver has received the request", async () => {
    emulator.faults.add({ ...verify, drop: "after" });
    const error = await failure(verifyNotificationConfiguration({ id: add({ url: receiver.address }) }));
    assert.deepEqual([error.mayHaveBeenProcessed, receiver.requests.length], [true, 1]);
  });
});

describe("provisioning.NotificationConfiguration in the hashicorp dialect", () => {
  const settings = { "trivium:provisioningDialect": "hashicorp" };
  const dialect = { provisioning: "hashicorp" } as const;

  for (const unsentEmailUsers of ["kept", "cleared"] as const) {
    describe(`for email, if users that an update does not list are ${unsentEmailUsers}`, () => {
      const product = useEmulator({ dialect, seed, provisioning: { unsentEmailUsers } });

      it("an email configuration keeps its users when something else changes, whether or not the program manages them", async () => {
        const users = () => product.inspect().provisioning.notificationConfigurations[0]?.userIds;
        const email = { workspaceId, name: "mail", destinationType: "email" };
        const [ada, bob] = [["user-ada"], ["user-bob"]];
        const managed = new FakeEngine(definition, product, settings);
        for (const [userIds, enabled] of [
          [ada, false],
          [ada, true],
          [bob, true],
        ] as const) {
          await managed.up({ ...email, userIds, enabled });
          assert.deepEqual(users(), userIds);
        }
        await managed.up({ ...email, enabled: true });
        assert.deepEqual(users(), []);
        await managed.destroy();
        const other = await FakeEngine.create(definition, product, email, settings);
        product.provisioning.changeNotificationConfiguration(other.id ?? "", { userIds: ada });
        await other.refresh();
        assert.equal(await other.up({ ...email, enabled: true }), "updated");
        assert.deepEqual(users(), ada);
      });
    });
  }

  const product = useEmulator({
    dialect,
    seed: { ...seed, teams: [{ id: "team-ops", organization: "acme" }] },
  });
  useEnvironment(() => ({ ...product.environment, PROVISIONING_DIALECT: "hashicorp" }));
  const none = { workspaceId: null, projectId: null, teamId: null };
  for (const [kind, argument, id] of [
    ["workspace", "workspaceId", workspaceId],
    ["project", "projectId", "prj-web"],
    ["team", "teamId", "team-ops"],
  ] as const) {
    const given = { [argument]: id };
    const parental = { ...given, name: "deployments", destinationType: "generic", url };

    it(`a notification configuration of a ${kind} is created, found for adoption, listed, imported, and deleted with the ${kind}`, async () => {
      const managed = await FakeEngine.create(definition, product, parental, settings);
      const [request] = product.journal.requests({ method: "POST" });
      assert.equal(request?.path, `/api/v2/${kind}s/${id}/notification-configurations`);
      const adopting = await FakeEngine.create(definition, product, { ...parental, adopt: true }, settings);
      assert.equal(adopting.id, managed.id);
      const [listed] = (await listNotificationConfigurations(given)).notificationConfigurations;
      assert.deepEqual({ ...listed, ...none, ...given, id: managed.id }, listed);
      const { props = {} } = await lifecycleOn(product, definition, settings).read(managed.id ?? "");
      assert.equal(props[argument], id);
      product.provisioning.removeOrganization("acme");
      assert.equal(product.inspect().provisioning.notificationConfigurations.length, 0);
    });

    it(`the error for a notification configuration explains the limit if a ${kind} is full, but a replacement is possible`, async () => {
      const managed = await FakeEngine.create(definition, product, parental, settings);
      for (let count = 1; count < 20; count++) {
        product.provisioning.addNotificationConfiguration({ [kind]: id, name: `n-${count}`, url });
      }
      assert.equal(await managed.up({ ...parental, destinationType: "chat-a" }), "replaced");
      const limit = `The ${kind} ${id} already has 20 notification configurations; the maximum is 20\\.$`;
      const message = new RegExp(`returned 422: .*${limit}`);
      await assert.rejects(FakeEngine.create(definition, product, parental, settings), { message });
    });
  }

  it("listNotificationConfigurations only takes one of a workspace, a project and a team", async () => {
    for (const [given, message] of [
      [{}, /workspaceId is required without projectId and teamId/],
      [{ workspaceId, teamId: "team-ops" }, /teamId must not be set together with workspaceId/],
    ] as const) {
      await assert.rejects(listNotificationConfigurations(given), { name: "InputError", message });
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
