import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { startServer, stopServers, unusedPort, type TestServer } from "../../http/server";
import { at, call } from "../call";

describe("notification configurations behind a program's back", () => {
  const now = "2026-01-31T12:00:00.000Z";
  let emulator: Emulator;
  let workspace: string;
  before(async () => {
    emulator = await startEmulator({ frozenAt: new Date(now) });
  });
  beforeEach(() => {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "shop" }).id;
  });
  after(async () => emulator.close());

  const stored = () => emulator.inspect().provisioning.notificationConfigurations;

  it("are added with nothing but a name", () => {
    const added = emulator.provisioning.addNotificationConfiguration({ workspace, name: "x" });
    assert.match(added.id, /^nc-[A-Za-z0-9]{16}$/);
    assert.deepEqual(added, {
      id: added.id,
      workspaceId: workspace,
      name: "x",
      destinationType: "generic",
      enabled: false,
      url: null,
      token: null,
      triggers: [],
      userIds: [],
      deliveryResponses: [],
      createdAt: now,
      updatedAt: now,
    });
    assert.deepEqual(stored(), [added]);
  });

  it("are added without regard to the rules", () => {
    for (let number = 1; number <= 21; number++) {
      emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: "",
        destinationType: "email",
        url: "x",
        enabled: true,
        triggers: ["run:later", "run:planning", "run:created", "run:later"],
      });
    }
    assert.equal(stored().length, 21);
    assert.deepEqual(stored()[0]?.triggers, ["run:created", "run:planning", "run:later"]);
  });

  it("are changed, as the interface then shows", async () => {
    const { id } = emulator.provisioning.addNotificationConfiguration({ workspace, name: "x", token: "key" });
    emulator.advance("1s");
    const { id: userId } = emulator.provisioning.addUser();
    const change = {
      name: "y",
      enabled: true,
      url: "http://y.example/",
      token: "other",
      triggers: ["run:created"],
      userIds: [userId],
      deliveryResponses: [
        { url: "http://y.example/", body: "", code: "200", headers: {}, sentAt: now, successful: "true" },
      ],
    };
    const changed = emulator.provisioning.changeNotificationConfiguration(id, change);
    assert.deepEqual(changed, {
      ...changed,
      ...change,
      updatedAt: "2026-01-31T12:00:01.000Z",
      createdAt: now,
    });
    assert.deepEqual(stored(), [changed]);
    const path = `/api/v2/notification-configurations/${id}`;
    const { body } = await call(emulator, "provisioning", "GET", path);
    assert.equal(at(body, "data", "attributes", "name"), "y");
    assert.equal(at(body, "data", "attributes", "token"), null);
    assert.equal(at(body, "data", "attributes", "delivery-responses", 0, "sent-at"), now);
    emulator.provisioning.changeNotificationConfiguration(id, { token: null });
    assert.deepEqual([stored()[0]?.token, stored()[0]?.name], [null, "y"]);
    emulator.provisioning.removeUser(userId);
    assert.deepEqual(stored()[0]?.userIds, []);
  });

  it("are copies: changing them changes nothing", () => {
    const triggers = ["run:created"];
    const added = emulator.provisioning.addNotificationConfiguration({ workspace, name: "x", triggers });
    triggers.push("run:planning");
    Object.assign(added, { name: "y" });
    Object.assign(added.triggers, { 0: "y" });
    assert.deepEqual([stored()[0]?.name, stored()[0]?.triggers], ["x", ["run:created"]]);
  });

  it("are removed", async () => {
    const { id } = emulator.provisioning.addNotificationConfiguration({ workspace, name: "x" });
    emulator.provisioning.removeNotificationConfiguration(id);
    const path = `/api/v2/notification-configurations/${id}`;
    assert.equal((await call(emulator, "provisioning", "GET", path)).status, 404);
  });

  it("are gone after a reset", () => {
    emulator.provisioning.addNotificationConfiguration({ workspace, name: "x" });
    emulator.reset();
    assert.deepEqual(stored(), []);
  });

  it("throw for what does not exist", async () => {
    const { provisioning } = emulator;
    const { id } = provisioning.addNotificationConfiguration({ workspace, name: "x" });
    const nobody = /no notification configuration "nc-x"/;
    assert.throws(
      () => provisioning.addNotificationConfiguration({ workspace: "ws-x", name: "x" }),
      /no workspace "ws-x"/,
    );
    assert.throws(
      () => provisioning.changeNotificationConfiguration(id, { userIds: ["user-x"] }),
      /no user "user-x"/,
    );
    assert.throws(() => provisioning.changeNotificationConfiguration("nc-x", {}), nobody);
    assert.throws(() => provisioning.removeNotificationConfiguration("nc-x"), nobody);
    await assert.rejects(
      provisioning.sendNotification({ workspace: "ws-x", trigger: "run:created" }),
      /no workspace "ws-x"/,
    );
    await assert.rejects(
      provisioning.sendNotification({ workspace, trigger: "verification" }),
      /no trigger "verification"; it has run:created/,
    );
  });

  describe("get notifications", () => {
    let receiver: TestServer;
    beforeEach(async () => {
      receiver = await startServer((response, request) => {
        response.writeHead(request.url === "/fails" ? 500 : 200).end();
      });
    });
    afterEach(stopServers);

    const add = (path: string, attributes: object = {}): string =>
      emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: path,
        url: receiver.address + path,
        enabled: true,
        triggers: ["run:completed"],
        ...attributes,
      }).id;
    const bodies = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body) as unknown);

    it("with the documented body, signed with the token", async () => {
      const id = add("/hook", { token: "key" });
      const deliveries = await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
      });
      assert.deepEqual(deliveries, [{ notificationConfigurationId: id, status: 200, failure: null }]);
      const [request] = receiver.received;
      assert.ok(request);
      assert.deepEqual([request.method, request.headers["content-type"]], ["POST", "application/json"]);
      assert.equal(
        request.headers["x-svc-notification-signature"],
        createHmac("sha512", "key").update(request.body).digest("hex"),
      );
      const runId = String(at(bodies()[0], "run_id"));
      assert.match(runId, /^run-[A-Za-z0-9]{16}$/);
      assert.deepEqual(bodies(), [
        {
          payload_version: 1,
          notification_configuration_id: id,
          run_url: `https://provisioning.example/app/acme/workspaces/shop/runs/${runId}`,
          run_id: runId,
          run_message: "Queued in the emulator",
          run_created_at: now,
          run_created_by: "emulator",
          workspace_id: workspace,
          workspace_name: "shop",
          organization_name: "acme",
          notifications: [
            {
              message: "Run completed",
              trigger: "run:completed",
              run_status: "completed",
              run_updated_at: now,
              run_updated_by: "emulator",
            },
          ],
        },
      ]);
      assert.deepEqual(stored()[0]?.deliveryResponses, []);
    });

    it("with whatever the run is said to be", async () => {
      add("/hook");
      await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
        runId: "run-1",
        runUrl: "http://runs.example/1",
        runMessage: "because",
        runCreatedAt: "then",
        runCreatedBy: "alice",
        runStatus: "applied",
        runUpdatedAt: "later",
        runUpdatedBy: "bob",
        message: "Done",
      });
      assert.deepEqual(bodies(), [
        {
          payload_version: 1,
          notification_configuration_id: stored()[0]?.id,
          run_url: "http://runs.example/1",
          run_id: "run-1",
          run_message: "because",
          run_created_at: "then",
          run_created_by: "alice",
          workspace_id: workspace,
          workspace_name: "shop",
          organization_name: "acme",
          notifications: [
            {
              message: "Done",
              trigger: "run:completed",
              run_status: "applied",
              run_updated_at: "later",
              run_updated_by: "bob",
            },
          ],
        },
      ]);
    });

    for (const [trigger, status, message] of [
      ["run:created", "pending", "Run created"],
      ["run:planning", "planning", "Run planning"],
      ["run:needs_attention", "needs_attention", "Run needs attention"],
      ["run:applying", "applying", "Run applying"],
      ["run:completed", "completed", "Run completed"],
      ["run:errored", "errored", "Run errored"],
      ["assessment:drifted", "completed", "Assessment drifted"],
      ["assessment:failed", "completed", "Assessment failed"],
    ] as const) {
      it(`for ${trigger}`, async () => {
        add("/hook", { triggers: [trigger] });
        await emulator.provisioning.sendNotification({ workspace, trigger });
        const [notification] = at(bodies()[0], "notifications") as unknown[];
        assert.deepEqual(
          [at(notification, "trigger"), at(notification, "run_status"), at(notification, "message")],
          [trigger, status, message],
        );
      });
    }

    it("only when they are enabled, have the trigger and belong to the workspace", async () => {
      const elsewhere = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      add("/disabled", { enabled: false });
      add("/other-trigger", { triggers: ["run:created", "run:errored"] });
      add("/other-workspace", { workspace: elsewhere });
      add("/mail", { destinationType: "email", url: null });
      const id = add("/right", { triggers: ["run:created", "run:completed"] });
      const deliveries = await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
      });
      assert.deepEqual(
        deliveries.map(({ notificationConfigurationId }) => notificationConfigurationId),
        [id],
      );
      assert.deepEqual(
        receiver.received.map(({ url }) => url),
        ["/right"],
      );
    });

    it("about the same run, and tell what each of them answered", async () => {
      const port = await unusedPort();
      receiver = await startServer((response, request) => {
        response.writeHead(request.url === "/fails" ? 500 : 200).end();
      });
      const ids = [add("/one"), add("/fails"), add("", { url: `http://127.0.0.1:${port}` })];
      const deliveries = await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
      });
      assert.deepEqual(deliveries, [
        { notificationConfigurationId: ids[0], status: 200, failure: null },
        { notificationConfigurationId: ids[1], status: 500, failure: null },
        { notificationConfigurationId: ids[2], status: null, failure: "connection refused" },
      ]);
      assert.equal(new Set(bodies().map((body) => at(body, "run_id"))).size, 1);
    });

    for (const destinationType of ["chat-a", "chat-b"]) {
      it(`as a text for ${destinationType}, without a signature`, async () => {
        add("/chat", { destinationType, token: "key" });
        await emulator.provisioning.sendNotification({ workspace, trigger: "run:completed", body: {} });
        assert.deepEqual(bodies(), [{ text: "Run completed: acme/shop" }]);
        assert.equal(receiver.received[0]?.headers["x-svc-notification-signature"], undefined);
      });
    }

    it("with a body of their own", async () => {
      add("/hook", { triggers: ["assessment:drifted"] });
      const body = { payload_version: "2", trigger: "assessment:drifted", details: { a: [1] } };
      await emulator.provisioning.sendNotification({ workspace, trigger: "assessment:drifted", body });
      assert.deepEqual(bodies(), [body]);
    });
  });
});
