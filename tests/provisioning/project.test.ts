import assert from "node:assert/strict";
import { z } from "zod";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { projectDefinition } from "../../sdk/provisioning/project";
import { checkArguments } from "../../sdk/resource/check";
import type { Dialect } from "../../sdk/base/settings";
import type { RemoteState, Step } from "../../sdk/resource/definition";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";
import { clientOf, type ClientOptions } from "./emulated-client";
import { json, startServer, stopServers } from "../http/server";
import { lifecycleOn, Managed } from "../support/managed";

describe("provisioning.Project", () => {
  describe("its name", () => {
    const problems = (name: string, dialect: Dialect): string[] =>
      checkArguments(projectDefinition, z, dialect, { organization: "acme", name }).failures.map(
        ({ property, reason }) => `${property} ${reason}`,
      );

    const characters = "name may only contain letters, numbers, spaces, - and _";
    const spaces = "name must not start or end with a space";
    const names: readonly [string, string, readonly string[], readonly string[]][] = [
      [
        "two characters",
        "ab",
        ["name must have at least 3 characters"],
        ["name must have at least 3 characters"],
      ],
      ["three characters", "abc", [], []],
      ["36 characters", "x".repeat(36), [], []],
      ["37 characters", "x".repeat(37), ["name must have at most 36 characters"], []],
      ["40 characters", "x".repeat(40), ["name must have at most 36 characters"], []],
      [
        "41 characters",
        "x".repeat(41),
        ["name must have at most 36 characters"],
        ["name must have at most 40 characters"],
      ],
      ["all kinds of characters", "Web app_2 - blue", [], []],
      ["letters of other scripts", "zahlung für süd", [], []],
      ["36 letters that take two units each", "\u{10400}".repeat(36), [], []],
      ["numbers of other scripts", "team ٣", [], []],
      ["a space at each end", " web ", [], [spaces]],
      ["nothing but spaces", "   ", [], [spaces]],
      ["a symbol", "web€app", [characters], [characters]],
      ["a tab", "web\tapp", [characters], [characters]],
      ["a slash", "web/app", [characters], [characters]],
      ["a dot", "web.app", [characters], [characters]],
      ["a space before", " web", [], [spaces]],
      ["a space behind", "web ", [], [spaces]],
      ["a line break", "web\napp", [characters], [characters]],
    ];
    for (const [what, name, documented, hashicorp] of names) {
      it(`with ${what}: ${documented.length === 0 ? "accepted" : "refused"}, ${hashicorp.length === 0 ? "accepted" : "refused"} by the products`, () => {
        assert.deepEqual(problems(name, "documented"), documented);
        assert.deepEqual(problems(name, "hashicorp"), hashicorp);
      });
    }
  });

  it("is warned of characters that only some services take for letters and numbers", () => {
    for (const dialect of ["documented", "hashicorp"] as const) {
      const warnings = (name: string): readonly string[] =>
        checkArguments(projectDefinition, z, dialect, { organization: "acme", name }).warnings;
      assert.deepEqual(warnings("zahlung für süd"), [
        "name contains letters or numbers other than A to Z and 0 to 9: the service may reject them",
      ]);
      assert.deepEqual(warnings("Web app_2 - blue"), []);
    }
  });

  describe("in the service", () => {
    const emulator = useEmulator();
    let step: Step<ProvisioningClient>;

    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
      step = stepWith({});
    });

    function stepWith(options: ClientOptions): Step<ProvisioningClient> {
      return {
        client: clientOf(emulator, options),
        signal: new AbortController().signal,
        progress: () => undefined,
        announce: () => undefined,
        managed: new Set(),
        memory: {},
      };
    }

    const known: RemoteState = { organization: "acme", name: "payments" };
    const desired = (name: string): { organization: string; name: string; adopt: undefined } => ({
      organization: "acme",
      name,
      adopt: undefined,
    });
    const add = (name: string): string => emulator.provisioning.addProject({ organization: "acme", name }).id;

    it("is read back after its creation, whose answer lacks permissions", async () => {
      const { id, state } = await projectDefinition.create(step, desired("payments"));
      assert.equal(state.permissions, undefined);
      assert.deepEqual(await projectDefinition.read(step, id, known), {
        name: "payments",
        organization: "acme",
        permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
      });
    });

    it("is never found under a name that this process has given away, nor once it has deleted it", async () => {
      const id = add("payments");
      const found = async (name: string): Promise<string | undefined> =>
        (await projectDefinition.find?.(step, desired(name), false))?.id;
      // Each question is about what is to be created: it is answered by a list that was begun after it.
      assert.deepEqual(
        [await found("payments"), await found("none"), await found("payments")],
        [id, undefined, id],
      );
      await projectDefinition.update(step, id, desired("billing"), new Set(["name"]), known);
      assert.deepEqual([await found("payments"), await found("billing")], [undefined, id]);
      await projectDefinition.delete(step, id, known);
      assert.deepEqual([await found("payments"), await found("billing")], [undefined, undefined]);
      const made = await projectDefinition.create(step, desired("billing"));
      assert.equal(await found("billing"), made.id);
      assert.equal(emulator.journal.count({ method: "GET" }), 8);
    });

    it("is gone when neither the service nor its list shows it", async () => {
      assert.equal(await projectDefinition.read(step, "prj-none", known), undefined);
    });

    it("is not gone because its organization is hidden", async () => {
      const id = add("payments");
      step = stepWith({ token: emulator.provisioning.addToken({ access: "none" }) });
      const error = await failure(projectDefinition.read(step, id, known));
      assert.match(error.message, /State is unchanged\..*TRIVIUM_ASSUME_GONE/);
    });

    it("is not gone because nobody knows its organization, as when it is got by a wrong id", async () => {
      const error = await failure(projectDefinition.read(step, "prj-none", {}));
      assert.match(
        error.message,
        /404 for project prj-none: it does not exist, or the token has no access to it/,
      );
    });

    it("cannot be deleted while it holds workspaces, and says what helps", async () => {
      const id = add("payments");
      emulator.provisioning.addWorkspace({ organization: "acme", project: id });
      const error = await failure(projectDefinition.delete(step, id, known));
      assert.match(error.message, /still contains 1 workspace.*fallbackProjectId/);
      assert.equal(
        (await projectDefinition.read(step, id, known))?.name,
        "payments",
        "it is not taken for deleted",
      );
    });

    it("is deleted also where its organization is not known", async () => {
      const id = add("payments");
      await projectDefinition.delete(step, id, {});
      assert.deepEqual(
        emulator.inspect().provisioning.projects.map(({ name }) => name),
        ["Default Project"],
      );
    });
  });
});

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
