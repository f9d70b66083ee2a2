import assert from "node:assert/strict";
import { startEmulator, type Emulator, type NewOrganization } from "../../../sdk/testing";
import { at, call, textAt, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("the emulator's organizations for site administrators", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => emulator.reset());
  after(async () => emulator.close());

  const root = "/api/v2/admin/organizations";
  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, root + path, options);
  const add = (name: string, attributes: Omit<NewOrganization, "name"> = {}) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const stored = (name: string) => {
    const found = emulator
      .inspect()
      .provisioning.organizations.find((organization) => organization.name === name);
    assert.ok(found);
    return found;
  };
  const changing = (attributes: unknown) => ({ body: { data: { type: "organizations", attributes } } });
  const consumers = (...names: readonly string[]) => ({
    body: { data: names.map((id) => ({ id, type: "organizations" })) },
  });
  const idsIn = (reply: Reply, member = "data"): unknown[] => {
    const items = at(reply.body, member);
    assert.ok(Array.isArray(items), JSON.stringify(reply.body));
    return items.map((item: unknown) => at(item, "id"));
  };

  describe("show", () => {
    it("includes the owners on request, and nothing else", async () => {
      const { id } = emulator.provisioning.addUser({ username: "alice" });
      add("acme", { ownerIds: [id] });
      const included = [{ id, type: "users", attributes: { username: "alice" } }];
      assert.deepEqual(at((await ask("GET", "/acme?include=owners")).body, "included"), included);
      assert.equal(at((await ask("GET", "/acme")).body, "included"), undefined);
      assertRefused(await ask("GET", "/acme?include=users"), 400, /owners/, "?include");
      assertRefused(await ask("GET", "/acme?q=a"), 400, /unknown/, "?q");
    });
  });

  describe("list", () => {
    it("has 20 to a page unless told otherwise, and absolute links", async () => {
      for (let number = 1; number <= 21; number++) {
        add(`organization-${number}`);
      }
      const first = await ask("GET", "");
      assert.equal(idsIn(first).length, 20);
      assert.deepEqual(at(first.body, "meta", "pagination"), {
        "current-page": 1,
        "prev-page": null,
        "next-page": 2,
        "total-pages": 2,
        "total-count": 21,
      });
      const next = textAt(first.body, "links", "next");
      assert.ok(next.startsWith(`${emulator.provisioning.address}${root}?`), next);
      const second = await call(
        emulator,
        "provisioning",
        "GET",
        next.slice(emulator.provisioning.address.length),
      );
      assert.deepEqual(idsIn(second), ["organization-21"]);
      assert.equal(at(second.body, "links", "next"), null);
      assert.deepEqual(idsIn(await ask("GET", "?page[size]=2&page[number]=3")), [
        "organization-5",
        "organization-6",
      ]);
    });

    it("includes the owners of the page, each once", async () => {
      const [both, second] = [emulator.provisioning.addUser(), emulator.provisioning.addUser()];
      emulator.provisioning.addUser();
      add("one", { ownerIds: [both.id] });
      add("two", { ownerIds: [both.id, second.id] });
      assert.deepEqual(idsIn(await ask("GET", "?include=owners"), "included"), [both.id, second.id]);
      assert.deepEqual(idsIn(await ask("GET", "?include=owners&page[size]=1"), "included"), [both.id]);
      assert.equal(at((await ask("GET", "")).body, "included"), undefined);
    });

    it("refuses what it does not know", async () => {
      assertRefused(await ask("GET", "?sort=name"), 400, /unknown/, "?sort");
      assertRefused(await ask("GET", "?include=users"), 400, /owners/, "?include");
    });
  });

  describe("update", () => {
    it("answers 200 with the changed resource, and accepts the name as id", async () => {
      const before = add("acme", { workspaceLimit: 5 });
      const data = { type: "organizations", id: "acme", attributes: { "access-beta-tools": true } };
      const reply = await ask("PATCH", "/acme", { body: { data } });
      assert.equal(reply.status, 200);
      assert.equal(at(reply.body, "data", "attributes", "access-beta-tools"), true);
      assert.deepEqual((await ask("GET", "/acme")).body, reply.body);
      assert.deepEqual(stored("acme"), { ...before, accessBetaTools: true });
    });

    it("empties the consumers when it turns global sharing on, of the same kind only", async () => {
      add("other");
      add("acme", { moduleConsumers: ["other"], providerConsumers: ["other"] });
      await ask("PATCH", "/acme", changing({ "access-beta-tools": true, "global-module-sharing": false }));
      assert.deepEqual(stored("acme").moduleConsumers, ["other"]);
      await ask("PATCH", "/acme", changing({ "global-module-sharing": true }));
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/module-consumers")), []);
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/provider-consumers")), ["other"]);
      await ask("PATCH", "/acme", changing({ "global-provider-sharing": true }));
      assert.deepEqual(idsIn(await ask("GET", "/acme/relationships/provider-consumers")), []);
    });
  });

  it("a disabled organization answers 404 to all but site administration, until it is enabled", async () => {
    add("acme");
    const { provisioning } = emulator;
    const { id: projectId } = provisioning.addProject({ organization: "acme", name: "web" });
    const { id: workspace } = provisioning.addWorkspace({ organization: "acme" });
    const { id } = provisioning.addNotificationConfiguration({ workspace, name: "x" });
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        [
          "/organizations/acme/projects",
          `/projects/${projectId}`,
          `/workspaces/${workspace}/notification-configurations`,
          `/notification-configurations/${id}`,
          "/admin/organizations/acme",
        ].map(async (path) => (await call(emulator, "provisioning", "GET", `/api/v2${path}`)).status),
      );
    await ask("PATCH", "/acme", changing({ "is-disabled": true }));
    assert.deepEqual(await statuses(), [404, 404, 404, 404, 200]);
    await ask("PATCH", "/acme", changing({ "is-disabled": false }));
    assert.deepEqual(await statuses(), [200, 200, 200, 200, 200]);
  });

  describe("delete", () => {
    it("answers 204 and takes projects, workspaces and their configurations along", async () => {
      add("other");
      add("acme", { moduleConsumers: ["other"] });
      const { provisioning } = emulator;
      provisioning.changeOrganization("other", { moduleConsumers: ["acme"] });
      const kept = provisioning.addWorkspace({ organization: "other" }).id;
      const lost = provisioning.addWorkspace({ organization: "acme" }).id;
      for (const workspace of [kept, lost]) {
        provisioning.addNotificationConfiguration({ workspace, name: "x" });
      }
      const reply = await ask("DELETE", "/acme");
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      assertRefused(await ask("DELETE", "/acme"), 404, /may not/);
      const left = emulator.inspect().provisioning;
      assert.deepEqual(
        left.organizations.map(({ name, moduleConsumers }) => [name, moduleConsumers]),
        [["other", []]],
      );
      assert.deepEqual(
        left.projects.map(({ organization }) => organization),
        ["other"],
      );
      assert.deepEqual(
        left.workspaces.map(({ id }) => id),
        [kept],
      );
      assert.deepEqual(
        left.notificationConfigurations.map(({ workspaceId }) => workspaceId),
        [kept],
      );
    });

    it("refuses a body", async () => {
      add("acme");
      assertRefused(await ask("DELETE", "/acme", { body: {} }), 400, /no body/);
    });
  });

  for (const [kind, member] of [
    ["module-consumers", "moduleConsumers"],
    ["provider-consumers", "providerConsumers"],
  ] as const) {
    describe(`list of ${kind}`, () => {
      const path = `/acme/relationships/${kind}`;

      it("shows organizations as they are shown, in pages", async () => {
        const names = Array.from({ length: 21 }, (_, index) => `organization-${index + 1}`);
        for (const name of names) {
          add(name);
        }
        add("acme", { [member]: names });
        const first = await ask("GET", path);
        assert.equal(first.status, 200);
        assert.deepEqual(idsIn(first), names.slice(0, 20));
        assert.deepEqual(at(first.body, "meta"), {
          pagination: {
            "current-page": 1,
            "prev-page": null,
            "next-page": 2,
            "total-pages": 2,
            "total-count": 21,
          },
        });
        assert.ok(
          textAt(first.body, "links", "next").startsWith(`${emulator.provisioning.address}${root}${path}?`),
        );
        assert.deepEqual(idsIn(await ask("GET", `${path}?page[number]=2`)), names.slice(20));
        const shown = await ask("GET", "/organization-1");
        assert.deepEqual(at(first.body, "data", 0, "attributes"), at(shown.body, "data", "attributes"));
        const related = `${root}/organization-1/relationships/provider-consumers`;
        assert.deepEqual(
          at(first.body, "data", 0, "relationships", "provider-consumers"),
          kind === "provider-consumers" ? { links: { related } } : undefined,
        );
      });

      it("is empty when there are none", async () => {
        add("acme");
        const reply = await ask("GET", path);
        assert.equal(reply.status, 200);
        assert.deepEqual(idsIn(reply), []);
        assertRefused(await ask("GET", `${path}?q=a`), 400, /unknown/, "?q");
      });
    });
  }

  it("the list of provider consumers cannot be set", async () => {
    add("acme");
    const reply = await ask("PATCH", "/acme/relationships/provider-consumers", consumers());
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get("allow"), "GET");
  });

  describe("update of the module consumers", () => {
    const path = "/acme/relationships/module-consumers";
    beforeEach(() => {
      for (const name of ["one", "two", "three"]) {
        add(name);
      }
    });

    it("replaces the list, each once, and answers 204", async () => {
      add("acme", { moduleConsumers: ["one"] });
      const reply = await ask("PATCH", path, consumers("three", "two", "three"));
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      assert.deepEqual(idsIn(await ask("GET", path)), ["three", "two"]);
      assert.equal((await ask("PATCH", path, consumers())).status, 204);
      assert.deepEqual(idsIn(await ask("GET", path)), []);
    });

    for (const names of [["one"], []]) {
      it(`turns global module sharing off with ${names.length} consumers, and leaves providers alone`, async () => {
        add("acme", { globalModuleSharing: true, globalProviderSharing: true });
        await ask("PATCH", path, consumers(...names));
        const { globalModuleSharing, globalProviderSharing, moduleConsumers } = stored("acme");
        assert.deepEqual([globalModuleSharing, globalProviderSharing], [false, true]);
        assert.deepEqual(moduleConsumers, names);
      });
    }

    it("refuses an unknown organization, and changes nothing", async () => {
      const before = add("acme", { globalModuleSharing: true });
      const reply = await ask("PATCH", path, consumers("one", "nobody"));
      assertRefused(reply, 422, /^Organization nobody not found$/, "/data");
      assert.deepEqual(stored("acme"), before);
    });
  });
});
