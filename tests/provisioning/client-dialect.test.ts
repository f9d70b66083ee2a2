import assert from "node:assert/strict";
import { listAdminOrganizations } from "../../sdk/provisioning/admin-organization";
import {
  getNotificationConfiguration,
  listNotificationConfigurations,
  notificationConfigurationDefinition,
} from "../../sdk/provisioning/notification-configuration";
import { projectDefinition } from "../../sdk/provisioning/project";
import { parse, signatureOf } from "../../sdk/provisioning/webhook";
import { createLifecycle } from "../../sdk/resource/lifecycle";
import { useEnvironment } from "../connection/environment";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

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

    it("refuses a key for a chat in either word", async () => {
      const managed = manage(notificationConfigurationDefinition);
      for (const destinationType of chats.flat()) {
        const problems = await managed.problems({
          workspaceId,
          name: "deployments",
          destinationType,
          url: "https://hooks.example.com",
          token: "canary-of-a-key",
        });
        assert.equal(problems.length, 1, destinationType);
        assert.match(problems[0] ?? "", /token is only valid for destinationType "generic"/);
      }
    });

    it("adopts the one of the same destination type, whatever the product calls that", async () => {
      const { id } = emulator.provisioning.addNotificationConfiguration({
        workspace: workspaceId,
        name: "deployments",
        destinationType: "chat-a",
        url: receiver.address,
      });
      const args = { workspaceId, name: "deployments", destinationType: "chat-a", url: receiver.address };
      const adopting = manage(notificationConfigurationDefinition);
      await adopting.up({ ...args, adopt: true });
      assert.equal(adopting.id, id);
    });

    it("says its users in data, and reads them there", async () => {
      const user = emulator.provisioning.addUser({ organization: "acme" }).id;
      const args = { workspaceId, name: "mail", destinationType: "email", userIds: [user] };
      const managed = manage(notificationConfigurationDefinition);
      await managed.up(args);
      assert.deepEqual((lastBody("POST") as { data: { relationships: unknown } }).data.relationships, {
        users: { data: [{ type: "users", id: user }] },
      });
      assert.deepEqual(managed.outputs.userIds, [user]);
      await managed.refresh();
      assert.equal(await managed.up(args), "same");
      assert.equal(await managed.up({ ...args, userIds: [] }), "updated");
      assert.deepEqual(managed.outputs.userIds, []);
    });

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

    it("passes on what the service says of a trigger that it does not know", async () => {
      const args = {
        workspaceId,
        name: "unknown",
        destinationType: "generic",
        url: receiver.address,
        triggers: ["run:dreamt"],
      };
      await assert.rejects(manage(notificationConfigurationDefinition).up(args), {
        message: /returned 422/,
      });
    });
  });

  describe("AdminOrganization", () => {
    it("has no time limits until they are set", async () => {
      const { organizations } = await listAdminOrganizations();
      assert.deepEqual(
        organizations.map((each) => [
          each.name,
          each.iacBuildWorkerApplyTimeout,
          each.iacBuildWorkerPlanTimeout,
        ]),
        [["acme", null, null]],
      );
    });
  });

  it("manages projects with longer names, and all permissions are known from the beginning", async () => {
    const name = "x".repeat(40);
    const managed = manage(projectDefinition);
    await managed.up({ organization: "acme", name });
    assert.deepEqual(managed.outputs.permissions, {
      canUpdate: true,
      canDestroy: true,
      canCreateWorkspace: true,
    });
    assert.equal(emulator.journal.count({ method: "GET" }), 0, "the response to the POST has all");
    await managed.refresh();
    assert.equal(await managed.up({ organization: "acme", name }), "same");
    emulator.provisioning.addWorkspace({ organization: "acme", project: managed.id ?? "" });
    await assert.rejects(managed.destroy(), { message: /contains workspaces.*fallbackProjectId/ });
  });
});
