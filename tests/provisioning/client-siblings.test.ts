import assert from "node:assert/strict";
import { path } from "../../sdk/base/path";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { projectKind, projectsOf } from "../../sdk/provisioning/project";
import { json, startServer, stopServers } from "../http/server";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const acme = projectsOf("acme");

describe("ProvisioningClient, asked about many objects", () => {
  const emulator = useEmulator();
  let client: ProvisioningClient;

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    client = clientOf(emulator);
  });

  const addProjects = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => emulator.provisioning.addProject({ organization: "acme", name: `project ${index}` }).id,
    );

  describe("readMember", () => {
    const readMember = (id: string): Promise<{ id: string } | undefined> =>
      client.readMember({ what: "project", path: path`/projects/${id}`, kind: projectKind, id, list: acme });

    it("reads 200 objects, eight at a time, with fewer than 20 requests", async () => {
      const ids = addProjects(200);
      const found: (string | undefined)[] = [];
      const next = ids.values();
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (const id of next) {
            found.push((await readMember(id))?.id);
          }
        }),
      );
      assert.deepEqual(found.toSorted(), ids.toSorted());
      assert.ok(emulator.journal.count() < 20, `${emulator.journal.count()} requests`);
    });

    it("asks for what the list lacks alone, and believes that answer", async () => {
      const [first = "", second = "", third = ""] = addProjects(3);
      await Promise.all([first, second, third].map(readMember));
      emulator.journal.clear();
      assert.equal(await readMember("prj-none"), undefined);
      assert.deepEqual(
        emulator.journal.requests().map((request) => request.path),
        // The list proves that it is gone, and not only hidden.
        ["/api/v2/projects/prj-none", `/api/v2${acme}`],
      );
    });

    it("gets by without a list that the token may not read", async () => {
      const ids = addProjects(5);
      emulator.faults.add({ path: `/api/v2${acme}`, status: 403, times: 99 });
      const found = await Promise.all(ids.map(readMember));
      assert.deepEqual(
        found.map((project) => project?.id),
        ids,
      );
    });

    it("does not answer from a list what was written after it", async () => {
      const [first = "", second = "", third = ""] = addProjects(3);
      await Promise.all([first, second, third].map(readMember));
      emulator.provisioning.removeProject(third);
      client.noteWritten(acme, third, undefined);
      assert.equal(await readMember(third), undefined);
    });
  });

  describe("listAmong", () => {
    const findAmong = async (name: string, fresh = false): Promise<{ id: string } | undefined> => {
      const query = { "filter[names]": name };
      const listed = await client.listAmong({ summary: "look", path: acme, kind: projectKind, query }, fresh);
      return listed.find((project) => project.state.name === name);
    };

    it("looks with the query first, and for many in one list", async () => {
      const ids = addProjects(20);
      const found = await Promise.all(ids.map((_, index) => findAmong(`project ${index}`)));
      assert.deepEqual(
        found.map((project) => project?.id),
        ids,
      );
      const queries = emulator.journal.requests().map(({ query }) => query["filter[names]"]);
      assert.deepEqual(new Set(queries), new Set(["project 0", "project 1", undefined]));
      assert.equal(queries.length, 3);
    });

    it("finds nothing where there is nothing, with the same few requests", async () => {
      const found = await Promise.all(["one", "two", "three", "four", "five"].map((name) => findAmong(name)));
      assert.deepEqual(new Set(found), new Set([undefined]));
      assert.equal(emulator.journal.count(), 3);
    });

    it("asks the service again when nothing remembered will do", async () => {
      await Promise.all(["one", "two", "three"].map((name) => findAmong(name)));
      const { id } = emulator.provisioning.addProject({ organization: "acme", name: "four" });
      assert.equal((await findAmong("four"))?.id, id, "what is looked for is about to be created");
      assert.equal((await findAmong("four", true))?.id, id);
    });
  });

  describe("a list whose pages are linked only, or that cannot be read to its end", () => {
    afterEach(() => stopServers());

    const project = (number: number): object => ({
      id: `prj-${number}`,
      type: "projects",
      attributes: { name: `project ${number}` },
      relationships: {},
    });

    /** @param next what names the page after the given one */
    async function serve(next: (number: number) => object): Promise<ProvisioningClient> {
      const server = await startServer((response, { url }) => {
        const { pathname, searchParams } = new URL(url, "http://service.example");
        const alone = /\/projects\/prj-(\d)$/.exec(pathname)?.[1];
        const page = Number(searchParams.get("page[number]"));
        const name = searchParams.get("filter[names]");
        if (alone !== undefined) {
          json(response, 200, { data: project(Number(alone)) });
        } else if (name !== null) {
          json(response, 200, { data: [1, 2, 3].map(project) });
        } else {
          json(response, 200, { data: [project(page)], ...next(page) });
        }
      });
      return clientOf({ provisioning: { address: server.address, token: "token" } });
    }

    const findAll = (other: ProvisioningClient): Promise<({ id: string } | undefined)[]> =>
      Promise.all(
        [1, 2, 3, 1, 2, 3, 4].map(async (number) => {
          const query = { "filter[names]": `project ${number}` };
          const listed = await other.listAmong(
            { summary: "find", path: acme, kind: projectKind, query },
            false,
          );
          return listed.find(({ state }) => state.name === `project ${number}`);
        }),
      );
    const expected = ["prj-1", "prj-2", "prj-3", "prj-1", "prj-2", "prj-3", undefined];

    it("is read to its end by its links", async () => {
      const other = await serve((page) => ({
        links: { next: page < 3 ? `/?page%5Bnumber%5D=${page + 1}` : null },
      }));
      assert.deepEqual(
        (await findAll(other)).map((found) => found?.id),
        expected,
      );
    });

    for (const [what, next] of [
      ["leads in a circle", () => ({ links: { next: "/?page%5Bnumber%5D=1" } })],
      ["shows fewer than it says", () => ({ meta: { pagination: { "total-count": 3 } } })],
    ] as const) {
      it(`proves nothing when it ${what}: each question is asked alone`, async () => {
        const other = await serve(next);
        assert.deepEqual(
          (await findAll(other)).map((found) => found?.id),
          expected,
        );
      });
    }
  });
});
