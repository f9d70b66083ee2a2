import assert from "node:assert/strict";
import { ServiceError } from "../../sdk/base/errors";
import {
  getNotificationConfiguration,
  listNotificationConfigurations,
  verifyNotificationConfiguration,
} from "../../sdk/provisioning/notification-configuration";
import { parse, signatureHeader } from "../../sdk/provisioning/webhook";
import { useEnvironment } from "../connection/environment";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

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

    it("reads one for e-mail, which has users and no URL", async () => {
      const user = emulator.provisioning.addUser({ organization: "acme" });
      const { id } = add("mail", { destinationType: "email", userIds: [user.id] });
      const { url, userIds } = await getNotificationConfiguration({ id });
      assert.deepEqual([url, userIds], [null, [user.id]]);
    });

    it("says so when there is none", async () => {
      const error = await failure(getNotificationConfiguration({ id: "nc-none" }));
      assert.equal(
        error.message,
        "The notification configuration nc-none does not exist, or the token has no access to it.",
      );
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

    it("is empty for a workspace without any", async () => {
      assert.deepEqual(await listNotificationConfigurations({ workspaceId: workspace }), {
        notificationConfigurations: [],
      });
    });

    it("fails when the workspace cannot be seen", async () => {
      const error = await failure(listNotificationConfigurations({ workspaceId: "ws-none" }));
      assert.ok(ServiceError.isInstance(error));
      assert.match(error.message, /^Could not list the notification configurations of the workspace ws-none/);
    });
  });

  describe("provisioning.verifyNotificationConfiguration", () => {
    it("makes the service ask the receiver, and reads what it answered", async () => {
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
