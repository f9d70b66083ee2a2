import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { call, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("the rights of tokens of the emulator's provisioning service", () => {
  const emulator = useEmulator();

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, options);

  describe("for notification configurations", () => {
    const type = "notification-configuration";
    const attributes = { name: "receiver", "destination-type": "generic", url: "http://receiver.example/" };
    const create = { data: { type, attributes } };
    let workspace: string;
    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
      workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    });
    const statuses = async (token: string): Promise<number[]> => {
      const { id } = emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: "mail",
        destinationType: "email",
      });
      const requests: readonly [string, string, unknown?][] = [
        ["POST", `/workspaces/${workspace}/notification-configurations`, create],
        ["GET", `/workspaces/${workspace}/notification-configurations`],
        ["GET", `/notification-configurations/${id}`],
        ["PATCH", `/notification-configurations/${id}`, { data: { type } }],
        ["POST", `/notification-configurations/${id}/actions/verify`],
        ["DELETE", `/notification-configurations/${id}`],
      ];
      const all: number[] = [];
      for (const [method, path, body] of requests) {
        all.push((await ask(method, path, { body, token })).status);
      }
      return all;
    };
    const allowed = [201, 200, 200, 200, 200, 204];
    const refused = allowed.map(() => 404);

    it("come with the administration of workspaces, in the whole organization or in a project", async () => {
      const { provisioning } = emulator;
      const { projectId } = emulator.inspect().provisioning.workspaces[0] ?? { projectId: "" };
      const administer = { administerWorkspaces: true };
      assert.deepEqual(await statuses(provisioning.token), allowed);
      assert.deepEqual(await statuses(provisioning.addToken({ access: administer })), allowed);
      const inProject = { access: "none", projects: { [projectId]: administer } } as const;
      assert.deepEqual(await statuses(provisioning.addToken(inProject)), allowed);
    });

    it("are missing in tokens of an organization, and in those that may only read", async () => {
      const { provisioning } = emulator;
      const organizationToken = {
        createProjects: true,
        updateProjects: true,
        deleteProjects: true,
        createWorkspaces: true,
        moveWorkspaces: true,
      };
      assert.deepEqual(await statuses(provisioning.addToken({ access: organizationToken })), refused);
      assert.deepEqual(await statuses(provisioning.addToken({ access: "read" })), refused);
      const elsewhere = { access: "none", organizations: { other: "full" } } as const;
      assert.deepEqual(await statuses(provisioning.addToken(elsewhere)), refused);
    });
  });

  describe("for site administration", () => {
    const root = "/admin/organizations";
    const requests: readonly [string, string, unknown?][] = [
      ["GET", ""],
      ["GET", "/acme"],
      ["PATCH", "/acme", { data: { type: "organizations" } }],
      ["GET", "/acme/relationships/module-consumers"],
      ["PATCH", "/acme/relationships/module-consumers", { data: [] }],
      ["GET", "/acme/relationships/provider-consumers"],
      ["DELETE", "/acme"],
    ];
    const statuses = async (token?: string): Promise<number[]> => {
      emulator.provisioning.addOrganization({ name: "acme" });
      const all: number[] = [];
      for (const [method, path, body] of requests) {
        all.push(
          (await ask(method, root + path, { body, ...(token === undefined ? {} : { token }) })).status,
        );
      }
      return all;
    };
    const allowed = [200, 200, 200, 200, 204, 200, 204];

    it("the service's own token is a site administrator", async () => {
      assert.deepEqual(await statuses(), allowed);
    });

    it("so are tokens with full access, unless told otherwise, and no others", async () => {
      const { provisioning } = emulator;
      const refused = allowed.map(() => 404);
      assert.deepEqual(await statuses(provisioning.addToken()), allowed);
      assert.deepEqual(
        await statuses(provisioning.addToken({ access: "none", siteAdministrator: true })),
        allowed,
      );
      assert.deepEqual(await statuses(provisioning.addToken({ siteAdministrator: false })), refused);
      provisioning.removeOrganization("acme");
      assert.deepEqual(await statuses(provisioning.addToken({ access: "read" })), refused);
      provisioning.removeOrganization("acme");
      assert.deepEqual(await statuses(provisioning.addToken({ access: { createProjects: true } })), refused);
    });

    it("without a token, or for an organization that does not exist, all is refused", async () => {
      for (const [method, path, body] of requests) {
        assert.equal((await ask(method, root + path, { token: null, body })).status, 401);
        assertRefused(await ask(method, root + (path || "/nobody"), { body }), 404, /may not/);
      }
    });
  });
});
