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
