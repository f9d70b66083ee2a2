import assert from "node:assert/strict";
import { projectDefinition } from "../../sdk/provisioning/project";
import type { Dialect } from "../../sdk/base/settings";
import { json, startServer, stopServers } from "../http/server";
import { lifecycleOn, Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";

const args = { organization: "acme", name: "payments" };
const shown = { "can-update": true, "can-destroy": true, "can-create-workspace": true };

for (const dialect of ["documented", "hashicorp"] satisfies Dialect[]) {
  describe(`the creation of a project in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect });
    const settings = { "trivium:provisioningDialect": dialect };
    const lifecycle = () => lifecycleOn(emulator, projectDefinition, settings);

    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
    });
    afterEach(stopServers);

    /** The requests since the last call. */
    function requests(): readonly string[] {
      const sent = emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);
      emulator.journal.clear();
      return sent;
    }

    const list = "/api/v2/organizations/acme/projects";

    it("is one POST when the name is free, and nothing is looked for", async () => {
      const { id } = await lifecycle().create(args);
      // Only the products tell all permissions in the response to a creation.
      const readBack = dialect === "documented" ? [`GET /api/v2/projects/${id}`] : [];
      assert.deepEqual(requests(), [`POST ${list}`, ...readBack]);
    });

    it("looks for what exists once the service has refused it", async () => {
      const { id } = emulator.provisioning.addProject(args);
      await assert.rejects(lifecycle().create(args), {
        message: `provisioning:Project already exists (id ${id}); nothing was changed. To adopt it, set \`adopt: true\`. Did you rename the resource? Use its option \`aliases\`.`,
      });
      assert.deepEqual(requests(), [`POST ${list}`, `GET ${list}`]);
    });

    it("passes on a refusal for another reason", async () => {
      emulator.faults.add({ method: "POST", status: 422, body: { errors: [{ title: "limit reached" }] } });
      await assert.rejects(lifecycle().create(args), { message: /422.*limit reached/ });
      assert.deepEqual(requests(), [`POST ${list}`, `GET ${list}`]);
    });

    it("does not look after a refusal that is no duplicate", async () => {
      emulator.faults.add({ method: "POST", status: 403, body: { errors: [{ title: "forbidden" }] } });
      await assert.rejects(lifecycle().create(args), { message: /403/ });
      assert.deepEqual(requests(), [`POST ${list}`]);
    });

    it("names the missing right and doctor after a 404, which may hide the organization", async () => {
      await assert.rejects(lifecycle().create({ ...args, organization: "missing" }), {
        message:
          /404.*the token may not create projects in it, which takes the permission to manage projects.*doctor provisioning --organization missing/,
      });
    });

    it("looks first where it adopts, so that no service creates a second one", async () => {
      const { id } = emulator.provisioning.addProject(args);
      const managed = new Managed(projectDefinition, emulator, settings);
      await managed.up({ ...args, adopt: true });
      assert.equal(managed.id, id);
      assert.deepEqual(requests(), [`GET ${list}`]);
    });

    describe("by a service that does not refuse a second project of a name", () => {
      /** @param lost whether the response to the creation is lost */
      async function permissive(lost: boolean): Promise<Record<string, string>> {
        const ids = ["prj-before"];
        const project = (id: string): object => ({
          id,
          type: "projects",
          attributes: { name: "payments", permissions: shown },
          relationships: { organization: { data: { id: "acme", type: "organizations" } } },
        });
        const { address } = await startServer((response, { method, url }) => {
          if (method === "POST") {
            ids.push("prj-new");
            if (lost) {
              response.destroy();
            } else {
              json(response, 201, { data: project("prj-new") });
            }
          } else if (url.includes("filter")) {
            json(response, 200, { data: ids.map(project) });
          } else {
            json(response, 200, { data: project("prj-new") });
          }
        });
        return { ...settings, "trivium:provisioningAddress": address };
      }

      it("is not refused by the library", async () => {
        const managed = new Managed(projectDefinition, emulator, await permissive(false));
        await managed.up(args);
        assert.equal(managed.id, "prj-new");
      });

      it("takes none over when the response is lost and several have the name", async () => {
        const managed = new Managed(projectDefinition, emulator, await permissive(true));
        await assert.rejects(managed.up(args), {
          message:
            /may nevertheless have been created.*several projects named "payments": prj-before, prj-new\./,
        });
      });

      it("adopts none of several", async () => {
        const both = await permissive(false);
        await new Managed(projectDefinition, emulator, both).up(args);
        const another = new Managed(projectDefinition, emulator, both);
        await assert.rejects(another.up({ ...args, adopt: true }), { message: /several projects named/ });
        assert.equal(another.id, undefined);
      });
    });
  });
}
