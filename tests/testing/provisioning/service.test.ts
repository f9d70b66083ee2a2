import assert from "node:assert/strict";
import type { ProvisioningAccess } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type CallOptions, type Reply } from "../call";

describe("the emulator's provisioning service", () => {
  const emulator = useEmulator();
  let projectId: string;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    projectId = emulator.provisioning.addProject({ organization: "acme", name: "web" }).id;
  });

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, path, options);
  const body = { data: { type: "projects", attributes: { name: "api" } } };
  const everyRequest = (): [string, string, unknown?][] => [
    ["GET", "/api/v2/organizations/acme/projects"],
    ["GET", `/api/v2/projects/${projectId}`],
    ["POST", "/api/v2/organizations/acme/projects", body],
    ["PATCH", `/api/v2/projects/${projectId}`, body],
    ["POST", `/api/v2/projects/${projectId}/relationships/workspaces`, { data: [] }],
    ["DELETE", `/api/v2/projects/${projectId}`],
  ];
  const statuses = async (token?: string): Promise<number[]> => {
    const all: number[] = [];
    for (const [method, path, content] of everyRequest()) {
      all.push(
        (await ask(method, path, { body: content, ...(token === undefined ? {} : { token }) })).status,
      );
    }
    return all;
  };

  describe("tokens", () => {
    it("are needed for everything, known paths or not", async () => {
      for (const [method, path, content] of [...everyRequest(), ["GET", "/nowhere"] as [string, string]]) {
        for (const token of [null, "wrong", ""]) {
          const reply = await ask(method, path, { token, body: content });
          assert.equal(reply.status, 401, `${method} ${path}`);
          assert.equal(at(reply.body, "errors", 0, "status"), "401");
        }
      }
      assert.equal(emulator.inspect().provisioning.projects.length, 2);
    });

    it("go as bearer tokens only", async () => {
      const { token } = emulator.provisioning;
      for (const authorization of [token, `Basic ${token}`, `Bearer ${token} x`]) {
        const headers = { Authorization: authorization };
        assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 401);
      }
      const headers = { Authorization: `bearer ${token}` };
      assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 404);
    });

    it("may do everything when they are the service's own", async () => {
      assert.deepEqual(await statuses(), [200, 200, 201, 422, 204, 204]);
    });

    const limited: readonly [string, ProvisioningAccess, readonly number[]][] = [
      ["all rights", "full", [200, 200, 201, 422, 204, 204]],
      ["the right to read", "read", [200, 200, 404, 404, 404, 404]],
      ["no rights", "none", [404, 404, 404, 404, 404, 404]],
      ["the right to create", { createProjects: true }, [200, 200, 201, 404, 404, 404]],
      ["the right to update", { updateProjects: true }, [200, 200, 404, 200, 404, 404]],
      ["the right to delete", { deleteProjects: true }, [200, 200, 404, 404, 404, 204]],
      ["the right to move", { moveWorkspaces: true }, [200, 200, 404, 404, 204, 404]],
      [
        "the right to write but not to read",
        { read: false, createProjects: true },
        [404, 404, 201, 404, 404, 404],
      ],
    ];
    for (const [what, access, expected] of limited) {
      it(`with ${what} get 404 for the rest`, async () => {
        assert.deepEqual(await statuses(emulator.provisioning.addToken({ access })), expected);
      });
    }

    it("can have their rights by organization", async () => {
      emulator.provisioning.addOrganization({ name: "other" });
      const token = emulator.provisioning.addToken({ access: "none", organizations: { other: "read" } });
      assert.equal((await ask("GET", "/api/v2/organizations/acme/projects", { token })).status, 404);
      assert.equal((await ask("GET", "/api/v2/organizations/other/projects", { token })).status, 200);
    });

    it("see a project's permissions as they have them, and no project they may not read", async () => {
      const token = emulator.provisioning.addToken({ projects: { [projectId]: "none" }, access: "read" });
      const reply = await ask("GET", "/api/v2/organizations/acme/projects", { token });
      assert.equal(at(reply.body, "data", "length"), 1);
      assert.deepEqual(at(reply.body, "data", 0, "attributes", "permissions"), {
        "can-update": false,
        "can-destroy": false,
        "can-create-workspace": false,
      });
      assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 1, matching: 1 });
    });

    it("are dead once revoked or rotated, and new ones take over their rights", async () => {
      const path = `/api/v2/projects/${projectId}`;
      const reader = emulator.provisioning.addToken({ access: "read" });
      const successor = emulator.provisioning.rotateToken(reader);
      assert.equal((await ask("GET", path, { token: reader })).status, 401);
      assert.equal((await ask("GET", path, { token: successor })).status, 200);
      assert.equal((await ask("DELETE", path, { token: successor })).status, 404);
      emulator.provisioning.revokeToken(successor);
      assert.equal((await ask("GET", path, { token: successor })).status, 401);
      assert.throws(() => emulator.provisioning.revokeToken(successor), /no such token/);
    });

    it("can be rotated for the service itself, until the reset", async () => {
      const { token: original } = emulator.provisioning;
      const next = emulator.provisioning.rotateToken();
      assert.equal(emulator.provisioning.token, next);
      assert.equal((await ask("GET", "/api/v2/projects/x", { token: original })).status, 401);
      assert.equal((await ask("GET", "/api/v2/projects/x")).status, 404);
      emulator.reset();
      assert.equal(emulator.provisioning.token, original);
      assert.equal((await ask("GET", "/api/v2/projects/x")).status, 404);
      assert.equal((await ask("GET", "/api/v2/projects/x", { token: next })).status, 401);
    });
  });

  describe("media type", () => {
    for (const contentType of [null, "application/json", "text/plain", "application/vnd.api"]) {
      it(`is needed on POST, PATCH and DELETE: ${contentType ?? "none"} gets 415`, async () => {
        for (const [method, path, content] of everyRequest()) {
          const reply = await ask(method, path, { body: content, contentType });
          assert.equal(reply.status === 415, method !== "GET", `${method} ${path}: ${reply.status}`);
        }
        assert.equal(emulator.inspect().provisioning.projects.length, 2);
      });
    }

    it("may be followed by parameters and written in capitals", async () => {
      const contentType = "Application/VND.API+json; charset=utf-8";
      assert.equal((await ask("DELETE", `/api/v2/projects/${projectId}`, { contentType })).status, 204);
    });
  });

  describe("paths", () => {
    for (const path of [
      "/",
      "/api/v2",
      "/api/v2/nothing",
      "/projects/x",
      "/api/v2/organizations/acme/projects/",
      "/api/v2//projects/x",
      "/api/v2/Projects/x",
    ]) {
      it(`${path} is unknown`, async () => {
        const reply = await ask("GET", path);
        assert.equal(reply.status, 404);
        assert.equal(textAt(reply.body, "errors", 0, "title"), "not found");
      });
    }

    it("know their methods", async () => {
      const reply = await ask("PUT", `/api/v2/projects/${projectId}`);
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get("allow"), "GET, PATCH, DELETE");
      assert.equal(at(reply.body, "errors", 0, "status"), "405");
    });

    it("have their values decoded, and nothing breaks on values that cannot be", async () => {
      emulator.provisioning.addOrganization({ name: "a/b ü" });
      const reply = await ask("GET", "/api/v2/organizations/a%2Fb%20%C3%BC/projects");
      assert.equal(reply.status, 200);
      assert.match(textAt(reply.body, "links", "self"), /\/organizations\/a%2Fb%20%C3%BC\/projects\?/);
      assert.equal((await ask("GET", "/api/v2/organizations/%E0%A4%A/projects")).status, 404);
    });
  });
});
