import assert from "node:assert/strict";
import { z } from "zod";
import { CancelledError, ContractError, ServiceError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { identifiersDocument } from "../../sdk/provisioning/kind";
import { projectKind, projectMember, projectsOf } from "../../sdk/provisioning/project";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const acme = projectsOf("acme");
const mediaType = "application/vnd.api+json";
const document = (name: unknown): object => ({ data: { type: "projects", attributes: { name } } });
const listRequest = { summary: "list the projects", path: acme, kind: projectKind };

describe("ProvisioningClient", () => {
  const emulator = useEmulator({
    seed: { organizations: [{ name: "acme" }] },
    provisioning: { uniqueProjectNames: true },
  });
  let client: ProvisioningClient;

  beforeEach(() => {
    client = clientOf(emulator);
  });
  afterEach(stopServers);

  const addProject = (name: string): string =>
    emulator.provisioning.addProject({ organization: "acme", name }).id;
  const addProjects = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => addProject(`project ${index}`));
  const requests = (): string[] =>
    emulator.journal.requests().map((request) => `${request.method} ${request.path}`);
  const create = (name: unknown) =>
    client.post({ ...listRequest, summary: "create the project", document: document(name) });
  const update = (id: string, name: string) =>
    client.patch({ ...projectMember(id, "acme"), summary: "rename", document: document(name) });
  const act = (id: string) =>
    client.post({ summary: "act", path: path`/projects/${id}/actions/act`, kind: projectKind });
  const respondOnce = (body: object, method = "GET"): void =>
    void emulator.faults.add({ method, status: 200, body });

  it("a write of the client sends the token, the document and the media type (even without a document), and reads the response", async () => {
    const { id, state } = await create("payments");
    assert.deepEqual(state, { name: "payments", organization: "acme" });
    assert.equal((await update(id, "billing")).id, id);
    respondOnce({ data: { id, type: "projects", attributes: { name: "x" } } }, "POST");
    assert.equal((await act(id)).id, id);
    await client.deleteMember(projectMember(id, "acme"));
    const sent = emulator.journal.requests().map(({ target, body, headers }) => {
      assert.equal(headers["content-type"], mediaType);
      assert.equal(headers.authorization, "Bearer ***");
      return [target, body];
    });
    assert.deepEqual(sent, [
      [`/api/v2${acme}`, document("payments")],
      [`/api/v2/projects/${id}`, document("billing")],
      [`/api/v2/projects/${id}/actions/act`, null],
      [`/api/v2/projects/${id}`, null],
    ]);
  });

  it("a write of the client shows the service's message, with the part of the document that it rejects", async () => {
    addProject("payments");
    const error = await failure(create("payments"));
    assert.match(error.message, /^Could not create the project: POST .* 422: .*Name has already been taken/);
    const invalid = await failure(create(12));
    assert.match(invalid.message, /POST .* returned 422: .*\/data\/attributes\/name/);
  });

  it("a write of the client retries idempotent requests, and others only if the service certainly did not process them", async () => {
    const id = addProject("payments");
    const workspace = emulator.provisioning.addWorkspace({ organization: "acme" });
    emulator.faults.add({ drop: "after" });
    await update(id, "billing");
    emulator.faults.add({ drop: "after" });
    const move = { summary: "move the workspace", path: path`/projects/${id}/relationships/workspaces` };
    const document = identifiersDocument("workspaces", [workspace.id]);
    await client.relate({ ...move, method: "POST", document });
    assert.equal(emulator.inspect().provisioning.workspaces[0]?.projectId, id);
    emulator.faults.add({ method: "POST", status: 429, headers: { "Retry-After": "1" } });
    await create("repeated");
    assert.equal(emulator.journal.count(), 6);
    emulator.journal.clear();
    emulator.faults.add({ method: "POST", drop: "after", times: 2 });
    assert.equal((await failure(create("once"))).mayHaveBeenProcessed, true);
    await failure(act(id));
    assert.equal(emulator.journal.count(), 2);
  });

  it("a read of the client reads one object, even if its ID is in another case", async () => {
    const id = addProject("payments");
    for (const given of [id, id.toUpperCase()]) {
      assert.equal((await client.show({ ...projectMember(id), id: given }))?.id, id);
    }
    assert.equal(emulator.journal.requests()[0]?.headers["content-type"], undefined);
    const error = await failure(client.show({ ...projectMember(id), id: "prj-other" }), ContractError);
    assert.equal(error.at, "data.id");
  });

  for (const body of [
    '{"message":"no Route matched"}',
    "",
    "{}",
    "[]",
    '{"errors":[]}',
    '{"errors":["x"]}',
  ]) {
    it(`the client does not treat a response that a gateway might have sent as absence: ${body}`, async () => {
      const { address } = await startServer((response) => response.writeHead(404).end(body));
      const server = clientOf({ provisioning: { address, token: "t" } });
      for (const send of [
        () => server.show(projectMember("prj-1")),
        () => server.readMember(projectMember("prj-1", "acme")),
        () => server.deleteMember(projectMember("prj-1", "acme")),
      ]) {
        const error = await failure(send(), ServiceError);
        assert.match(error.message, /returned 404.*The response \(.+\) might come from a gateway/);
        assert.equal(error.status, 404);
      }
    });
  }

  it("a read of the client accepts 404 as a response, but no other error status", async () => {
    assert.equal(await client.show(projectMember("prj-none")), undefined);
    emulator.provisioning.revokeToken(emulator.provisioning.token);
    const error = await failure(client.show(projectMember("prj-none")), ServiceError);
    assert.equal(error.status, 401);
  });

  const good = { id: "prj-1", type: "projects", attributes: { name: "canary" }, relationships: {} };
  const unreadable: readonly [at: string, data: unknown][] = [
    ["data", undefined],
    ["data.id", { ...good, id: 7 }],
    ["data.attributes", { ...good, attributes: ["canary"] }],
    ["data.attributes.name", { ...good, attributes: { name: ["canary"] } }],
    ["data.relationships", { ...good, relationships: "canary" }],
    ["included[0].id", good],
  ];
  for (const [at, data] of unreadable) {
    it(`the client rejects ${JSON.stringify(data)} at ${at}, without showing its values`, async () => {
      respondOnce({ data, included: at.startsWith("included") ? [{ type: "users" }] : null });
      const error = await failure(client.show(projectMember("prj-1")), ContractError);
      assert.equal(error.at, at);
      assert.doesNotMatch(error.message, /canary/);
    });
  }

  it("a call of the client ends when its caller does, and shows what it waits for", async () => {
    const lines: string[] = [];
    const controller = new AbortController();
    client = clientOf(emulator, {}, { signal: controller.signal, progress: (line) => lines.push(line) });
    emulator.faults.add({ method: "GET", status: 429, headers: { "Retry-After": "7" } });
    await client.show(projectMember("prj-1"));
    assert.match(lines.join(), /^rate limited, waiting \d/);
    emulator.faults.add({ method: "GET", delay: "forever" });
    const response = failure(client.show(projectMember("prj-1")));
    controller.abort();
    assert.ok(CancelledError.isInstance(await response));
  });

  it("a list of the client names the undocumented part of the service's information about the list", async () => {
    respondOnce({ data: [] });
    const meta = () => z.object({ "status-counts": z.object({ total: z.number() }) });
    const error = await failure(client.listAll({ ...listRequest, meta }), ContractError);
    assert.equal(error.at, "meta.status-counts");
  });

  const read = (id: string) => client.readMember(projectMember(id, "acme"));

  it("a read of many objects reads 200 of them with fewer than 20 requests", async () => {
    const ids = addProjects(200);
    const found = await Promise.all(ids.map(read));
    assert.deepEqual(
      found.map((project) => project?.id),
      ids,
    );
    assert.ok(emulator.journal.count() < 20, `${emulator.journal.count()} requests`);
  });

  it("a read of many objects does not use a list for objects that were created, changed or deleted after it", async () => {
    const [first = "", second = "", third = ""] = addProjects(3);
    await Promise.all([first, second, third].map(read));
    await update(second, "renamed");
    await client.deleteMember(projectMember(third, "acme"));
    const { id } = await create("new");
    emulator.journal.clear();
    assert.deepEqual((await read(second))?.state.name, "renamed");
    assert.deepEqual((await read(id))?.state.name, "new");
    assert.deepEqual(requests(), [`GET /api/v2/projects/${second}`, `GET /api/v2/projects/${id}`]);
    assert.equal(await read(third), undefined);
  });

  const remove = (id: string): Promise<void> => client.deleteMember(projectMember(id, "acme"));

  it("a deletion succeeds if the object is proven to be gone, even if the lost response was that of the deletion", async () => {
    await remove("prj-none");
    assert.deepEqual(requests(), ["DELETE /api/v2/projects/prj-none", `GET /api/v2${acme}`]);
    emulator.faults.add({ method: "DELETE", drop: "after" });
    await remove(addProject("payments"));
    assert.equal(emulator.journal.count({ method: "DELETE" }), 3);
  });

  describe("proving that an object is gone", () => {
    const prove = (id: string, organization?: string) => client.proveAbsent(projectMember(id, organization));

    it("the proof that an object is gone succeeds if the parent's whole list lacks the object, and fails if a page contains it", async () => {
      const last = addProjects(150).at(-1) ?? "";
      await prove("prj-none", "acme");
      assert.equal(emulator.journal.count(), 2, "the whole list");
      const { message } = await failure(prove(last, "acme"));
      assert.match(message, /although it exists: the token lacks permission\..*State is unchanged/);
    });

    it("the proof that an object is gone fails without the list, and the error names the solutions", async () => {
      const id = addProject("payments");
      client = clientOf(emulator, { token: emulator.provisioning.addToken({ access: "none" }) });
      const { message } = await failure(prove(id, "acme"));
      assert.match(message, /could not tell which: .*returned 404.*State is unchanged/);
      assert.match(message, new RegExp(`TRIVIUM_ASSUME_GONE=${id}\\b.*pulumi state delete`));
    });

    it("the proof that an object is gone does not send a request if the parent is unknown", async () => {
      const { message } = await failure(prove("prj-1"));
      assert.match(message, /404 for project prj-1: it does not exist, or the token has no access to it/);
      assert.equal(emulator.journal.count(), 0);
    });

    const listed = (id: string, type = "projects", more = {}) => ({ data: [{ id, type }], ...more });
    const endless = { links: { next: "/?page%5Bnumber%5D=2" } };
    const short = { meta: { pagination: { "next-page": null, "total-count": 2 } } };
    const exists = /although it exists/;
    const unclear = (why: string) => new RegExp(`could not tell which: .*${why}.* State is unchanged`);
    const lists: readonly [string, object, RegExp][] = [
      ["contains the object, whatever else is in it", listed("prj-9"), exists],
      ["contains the object, and never ends", listed("prj-9", "projects", endless), exists],
      ["never ends", listed("prj-1", "projects", endless), unclear("links to a next page")],
      [
        "shows fewer items than it counts",
        listed("prj-1", "projects", short),
        unclear("fewer items than its total"),
      ],
      ["contains objects of another kind", listed("ws-1", "workspaces"), unclear("data\\[0\\]\\.type")],
    ];
    for (const [what, page, message] of lists) {
      it(`the proof that an object is gone does not accept a list that ${what}`, async () => {
        const { address } = await startServer((response) => json(response, 200, page));
        client = clientOf({ provisioning: { address, token: "token" } });
        await assert.rejects(prove("prj-9", "acme"), { message });
      });
    }
  });
});
