import assert from "node:assert/strict";
import { ServiceError, TriviumError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { Absence, ProvisioningClient } from "../../sdk/provisioning/client";
import { projectKind, projectsOf } from "../../sdk/provisioning/project";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const acme = projectsOf("acme");

describe("ProvisioningClient, about what may not exist", () => {
  const emulator = useEmulator();
  let client: ProvisioningClient;

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    client = clientOf(emulator);
  });

  const addProject = (name: string): string =>
    emulator.provisioning.addProject({ organization: "acme", name }).id;
  const addProjects = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => emulator.provisioning.addProject({ organization: "acme", name: `project ${index}` }).id,
    );
  const sent = (): string[] =>
    emulator.journal.requests().map((request) => `${request.method} ${request.path}`);

  describe("delete", () => {
    const remove = (id: string, absence: Partial<Absence> = {}): Promise<void> =>
      client.delete({
        summary: `delete the project ${id}`,
        path: path`/projects/${id}`,
        absence: { what: `project ${id}`, id, list: { path: acme, kind: projectKind }, ...absence },
        advice: { 403: "Move its workspaces first." },
      });

    it("sends the media type although there is no body", async () => {
      const id = addProject("payments");
      await remove(id);
      const [request] = emulator.journal.requests();
      assert.equal(request?.method, "DELETE");
      assert.equal(request.headers["content-type"], "application/vnd.api+json");
      assert.equal(request.body, null);
      assert.equal(emulator.journal.count(), 1);
    });

    it("is done when the object proves to be gone already", async () => {
      await remove("prj-none");
      assert.deepEqual(sent(), [
        "DELETE /api/v2/projects/prj-none",
        "GET /api/v2/organizations/acme/projects",
      ]);
    });

    it("is done when its lost response was the deletion", async () => {
      const id = addProject("payments");
      emulator.faults.add({ method: "DELETE", drop: "after" });
      await remove(id);
      assert.equal(emulator.journal.count({ method: "DELETE" }), 2);
    });

    it("fails when the object exists and may not be deleted", async () => {
      const id = addProject("payments");
      const token = emulator.provisioning.addToken({ access: "read" });
      client = clientOf(emulator, { token });
      const error = await failure(remove(id));
      assert.match(error.message, new RegExp(`404 for project ${id}, although it exists`));
    });

    it("says what to do about a refusal", async () => {
      const id = addProject("payments");
      emulator.provisioning.addWorkspace({ organization: "acme", project: id });
      const error = await failure(remove(id));
      assert.match(
        error.message,
        /returned 403: .*still contains 1 workspace.* Move its workspaces first\.$/,
      );
    });

    it("leaves other refusals in the service's words", async () => {
      emulator.provisioning.revokeToken(emulator.provisioning.token);
      const error = await failure(remove("prj-1"));
      assert.ok(ServiceError.isInstance(error) && error.status === 401);
      assert.doesNotMatch(error.message, /Move its workspaces/);
    });
  });

  describe("proveAbsent", () => {
    const prove = (id: string, absence: Partial<Absence> = {}): Promise<void> =>
      client.proveAbsent({ what: `project ${id}`, id, list: { path: acme, kind: projectKind }, ...absence });

    it("accepts that the parent's list lacks the object", async () => {
      addProjects(250);
      await prove("prj-none");
      assert.equal(emulator.journal.count(), 3, "the whole list");
    });

    it("refuses when the list has the object, on whichever page", async () => {
      const ids = addProjects(250);
      const last = ids.at(-1) ?? "";
      const error = await failure(prove(last));
      assert.ok(TriviumError.isInstance(error));
      assert.match(error.message, /although it exists: the token lacks the permission\..*State is unchanged/);
      assert.equal(emulator.journal.count(), 3);
    });

    it("cannot be done without the list, and names the ways out", async () => {
      const id = addProject("payments");
      client = clientOf(emulator, { token: emulator.provisioning.addToken({ access: "none" }) });
      const error = await failure(prove(id));
      assert.match(error.message, /could not find out which: .*returned 404.*State is unchanged/);
      assert.match(error.message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b`));
      assert.match(error.message, /pulumi state delete/);
    });

    it("cannot be done where the parent is not known", async () => {
      const error = await failure(prove("prj-1", { list: undefined }));
      assert.match(
        error.message,
        /404 for project prj-1: it does not exist, or the token has no access to it/,
      );
      assert.equal(emulator.journal.count(), 0);
    });

    it("takes the user's word, without a request", async () => {
      const [one = "", two = ""] = addProjects(2);
      client = clientOf(emulator, { assumedGone: [one, "prj-other"] });
      await prove(one, { list: undefined });
      assert.equal(emulator.journal.count(), 0);
      await assert.rejects(prove(two), "of this one nothing was said");
    });

    it("does not treat a token that has become invalid as a proof", async () => {
      emulator.provisioning.revokeToken(emulator.provisioning.token);
      const error = await failure(prove("prj-1"));
      assert.match(error.message, /returned 401.*State is unchanged/);
    });
  });

  describe("proveAbsent, with a service whose lists are otherwise", () => {
    afterEach(() => stopServers());

    const project = (id: string): object => ({
      id,
      type: "projects",
      attributes: { name: id },
      relationships: { organization: { data: { id: "acme", type: "organizations" } } },
    });

    /** A service with one list, whose pages are these documents; behind the last one there is nothing. */
    async function prove(id: string, page: (number: number) => object): Promise<void> {
      const server = await startServer((response, { url }) => {
        const { searchParams } = new URL(url, "http://service.example");
        json(response, 200, page(Number(searchParams.get("page[number]"))));
      });
      const other = clientOf({ provisioning: { address: server.address, token: "token" } });
      return other.proveAbsent({ what: `project ${id}`, id, list: { path: acme, kind: projectKind } });
    }

    const linked = (number: number): object => ({
      data: [project(`prj-${number}`)],
      links: { next: number < 3 ? `https://service.example/?page%5Bnumber%5D=${number + 1}` : null },
    });

    it("looks on pages that only links.next names", async () => {
      const error = await failure(prove("prj-3", linked));
      assert.match(error.message, /although it exists/);
      await prove("prj-4", linked);
    });

    const unreadable: readonly [string, (number: number) => object, RegExp][] = [
      [
        "never ends",
        () => ({ data: [project("prj-1")], links: { next: "/?page%5Bnumber%5D=2" } }),
        /names page 2 as the next page/,
      ],
      [
        "shows fewer than it says it has",
        () => ({ data: [project("prj-1")], meta: { pagination: { "next-page": null, "total-count": 2 } } }),
        /has fewer items than its total count/,
      ],
      [
        "has objects of another kind",
        () => ({ data: [{ id: "ws-1", type: "workspaces" }] }),
        /data\[0\]\.type/,
      ],
    ];
    for (const [what, page, reason] of unreadable) {
      it(`treats no list as proof that ${what}`, async () => {
        const error = await failure(prove("prj-9", page));
        assert.match(error.message, /could not find out which/);
        assert.match(error.message, reason);
        assert.match(error.message, /State is unchanged/);
      });
    }
  });
});
