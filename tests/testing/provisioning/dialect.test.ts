import assert from "node:assert/strict";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("the emulator's provisioning service in the hashicorp dialect", () => {
  const emulator = useEmulator({
    dialect: { provisioning: "hashicorp" },
    frozenAt: new Date("2026-01-31T12:00:00.750Z"),
  });
  let workspace: string;
  let receiver: TestServer;
  before(async () => {
    receiver = await startServer((response) => response.writeHead(200).end("ok"));
  });
  beforeEach(() => {
    receiver.received.length = 0;
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
  });
  after(() => {
    stopServers();
  });

  const ask = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, { body });
  const attributesOf = ({ body }: Reply): unknown => at(body, "data", "attributes");

  describe("projects", () => {
    const create = async (attributes: object, more: object = {}): Promise<Reply> =>
      ask("POST", "/organizations/acme/projects", { data: { type: "projects", attributes, ...more } });

    it("have names of up to 40 characters", async () => {
      assert.equal((await create({ name: "x".repeat(40) })).status, 201);
      assertRefused(
        await create({ name: "x".repeat(41) }),
        422,
        /3 to 40 characters/,
        "/data/attributes/name",
      );
    });

    it("have names of ASCII letters and digits, and no space at either end", async () => {
      for (const name of ["größe", " web", "web "]) {
        assertRefused(await create({ name }), 422, /Name may/, "/data/attributes/name");
      }
    });

    it("are created whatever else is in the request, and shown with more than the documented members", async () => {
      const created = await create({ name: "api", unknown: 1 }, { meta: {}, relationships: { x: {} } });
      assert.equal(created.status, 201);
      assert.equal(at(attributesOf(created), "description"), null);
      assert.equal(at(attributesOf(created), "unknown"), undefined);
      assert.deepEqual(at(attributesOf(created), "permissions"), {
        "can-update": true,
        "can-destroy": true,
        "can-create-workspace": true,
        "can-read": true,
        "can-read-teams": true,
      });
      const shown = await ask("GET", `/projects/${textAt(created.body, "data", "id")}?unknown=1`);
      assert.deepEqual(shown.body, created.body);
    });
  });

  describe("organizations", () => {
    const path = "/admin/organizations/acme";
    const change = async (attributes: object): Promise<Reply> =>
      ask("PATCH", path, { data: { type: "organizations", attributes } });
    const timeouts = (reply: Reply): unknown[] =>
      [
        "terraform-build-worker-apply-timeout",
        "apply-timeout",
        "terraform-build-worker-plan-timeout",
        "plan-timeout",
      ].map((name) => at(attributesOf(reply), name));

    it("take a timeout by either name, and ignore the documents' names", async () => {
      const first = await change({ "terraform-build-worker-apply-timeout": "1h", "plan-timeout": "2h" });
      assert.deepEqual(timeouts(first), ["1h", "1h", "2h", "2h"]);
      const second = await change({ "apply-timeout": null, "iac-build-worker-plan-timeout": "9h" });
      assert.equal(second.status, 200);
      assert.deepEqual(timeouts(second), [null, null, "2h", "2h"]);
      assert.equal(emulator.inspect().provisioning.organizations[0]?.iacBuildWorkerPlanTimeout, "2h");
      assertRefused(
        await change({ "plan-timeout": "soon" }),
        422,
        /must be/,
        "/data/attributes/plan-timeout",
      );
    });
  });

  describe("notification configurations", () => {
    const create = async (
      attributes: object,
      relationships: object = {},
      type = "notification-configurations",
    ): Promise<Reply> =>
      ask("POST", `/workspaces/${workspace}/notification-configurations`, {
        data: {
          type,
          attributes: { name: "n", "destination-type": "generic", url: receiver.address, ...attributes },
          relationships,
        },
      });
    const stored = () => emulator.inspect().provisioning.notificationConfigurations;

    for (const [name, own] of [
      ["slack", "chat-a"],
      ["microsoft-teams", "chat-b"],
    ] as const) {
      it(`go to ${name}, and not to ${own}`, async () => {
        const reply = await create({ "destination-type": name });
        assert.equal(reply.status, 201);
        assert.equal(at(attributesOf(reply), "destination-type"), name);
        assert.equal(stored()[0]?.destinationType, own);
        assertRefused(
          await create({ "destination-type": own }),
          422,
          /one of generic, email, slack, microsoft-teams/,
          "/data/attributes/destination-type",
        );
        const signed = await create({ "destination-type": name, token: "key" });
        assertRefused(signed, 422, new RegExp(name), "/data/attributes/token");
      });
    }

    it("name their users in data, in requests and answers", async () => {
      const { id } = emulator.provisioning.addUser({ organization: "acme" });
      const users = [{ id, type: "users" }];
      const email = { "destination-type": "email", url: null };
      const reply = await create(email, { users: { data: users }, subscribable: { data: null } });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      assert.deepEqual(at(reply.body, "data", "relationships", "users"), { data: users });
      assertRefused(await create(email, { users }), 422, /no object/, "/data/relationships/users");
    });

    it("have another form for drift than for runs", async () => {
      const triggers = ["run:errored", "assessment:drifted", "workspace:auto_destroy_run_results"];
      emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: "n",
        enabled: true,
        url: receiver.address,
        token: "key",
        triggers,
      });
      for (const trigger of triggers) {
        await emulator.provisioning.sendNotification({ workspace, trigger });
      }
      const bodies = receiver.received.map(({ body }) => JSON.parse(body) as unknown);
      assert.deepEqual(
        bodies.map((body) => [at(body, "payload_version"), at(body, "trigger_scope"), at(body, "trigger")]),
        [
          [1, undefined, undefined],
          ["2", "assessment", "assessment:drifted"],
          ["2", "workspace", "workspace:auto_destroy_results"],
        ],
      );
      assert.ok(receiver.received.every(({ headers }) => "x-tfe-notification-signature" in headers));
    });
  });
});
