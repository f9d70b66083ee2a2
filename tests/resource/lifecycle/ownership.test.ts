import assert from "node:assert/strict";
import { OwnNotes } from "../../../sdk/engine/shared-notes";
import { TriviumError } from "../../../sdk/base/errors";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { projectWorkspacesDefinition } from "../../../sdk/provisioning/project-workspaces";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { JsonObject } from "../../../sdk/base/json";
import { Ownership } from "../../../sdk/resource/lifecycle/ownership";
import { emptyEntry, unknown } from "../../../sdk/resource/state/entry";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";

describe("Ownership", () => {
  let notes: OwnNotes;
  beforeEach(() => {
    notes = new OwnNotes();
  });

  const ownership = (
    definition: AnyResourceDefinition = projectDefinition,
    place = "here",
    dialect: "documented" | "hashicorp" = "documented",
  ): Ownership => new Ownership(definition, dialect, place, notes);
  const urn = (name: string): string => `urn:pulumi:test::tests::type::${name}`;
  const entry = (name: string, generation?: string) => ({ urn: urn(name), generation });

  const dynamic = (name: string): string =>
    `urn:pulumi:test::tests::pulumi-nodejs:dynamic/trivium/x:Y::${name}`;
  const plugin = (name: string): string => `urn:pulumi:test::tests::trivium:x:Y::${name}`;

  it("ownership lets the plugin delete the entry that a dynamic resource replaces", () => {
    // Entries that the plugin wrote have no URN: each call of the plugin brings it.
    ownership().hold("prj-1", emptyEntry, dynamic("one"));
    assert.equal(ownership().successorOf("prj-1", { ...emptyEntry, urn: plugin("one") }), undefined);
    assert.equal(ownership().successorOf("prj-1", { ...emptyEntry, urn: plugin("two") }), '"one"');
  });

  it("ownership lets a dynamic resource delete the entry that the plugin replaces", () => {
    ownership().hold("prj-1", { ...emptyEntry, urn: plugin("one") });
    assert.equal(ownership().successorOf("prj-1", { ...emptyEntry, urn: dynamic("one") }), undefined);
    assert.doesNotThrow(() => ownership().assertFree("prj-1", dynamic("one")));
    assert.throws(() => ownership().assertFree("prj-1", dynamic("two")), /managed by the resource "one"/);
  });

  const named = (name: string, args: JsonObject) => ({ urn: urn(name), args });
  const claim = (name: string, args: JsonObject, place?: string): string | undefined =>
    ownership(projectDefinition, place).claim(named(name, args));

  it("ownership leaves two of one name to the service where the document does not forbid them, unless one adopts", () => {
    const args = { organization: "acme", name: "payments" };
    assert.equal(claim("one", args), undefined);
    assert.equal(claim("two", args), undefined);
    const found = claim("three", { ...args, adopt: true }) ?? "";
    assert.match(found, /with organization "acme", name "payments" is also managed by the resource "one"/);
    assert.match(claim("four", args) ?? "", /is also managed by the resource "three"/);
  });

  it("ownership refuses two of one name in the dialect of products that do", () => {
    const args = { organization: "acme", name: "payments" };
    const claimAt = (name: string): string | undefined =>
      ownership(projectDefinition, "here", "hashicorp").claim(named(name, args));
    assert.equal(claimAt("one"), undefined);
    assert.match(claimAt("two") ?? "", /is also managed by the resource "one"/);
  });

  it("ownership lets the same resource ask again, and others have other names or another service", () => {
    assert.equal(claim("one", { organization: "acme", name: "payments" }), undefined);
    assert.equal(claim("one", { organization: "acme", name: "payments" }), undefined);
    assert.equal(claim("two", { organization: "acme", name: "billing" }), undefined);
    assert.equal(claim("three", { organization: "acme", name: "payments" }, "there"), undefined);
  });

  it("ownership says nothing of what is not known yet", () => {
    assert.equal(claim("one", { organization: unknown, name: "payments" }), undefined);
    assert.equal(claim("two", { organization: unknown, name: "payments" }), undefined);
  });

  it("ownership counts each part of a list", () => {
    const parts = (name: string, workspaceIds: string[]): string | undefined =>
      ownership(projectWorkspacesDefinition).claim(named(name, { projectId: "prj-1", workspaceIds }));
    assert.equal(parts("one", ["ws-1", "ws-2"]), undefined);
    assert.equal(parts("two", ["ws-3"]), undefined);
    const actual = parts("three", ["ws-4", "ws-2"]) ?? "";
    assert.match(actual, /workspaceIds: ws-2 is also managed by the resource "one"/);
  });

  it("an object has no successor when nobody else has it", () => {
    assert.equal(ownership().successorOf("prj-1", entry("one")), undefined);
    ownership().hold("prj-1", entry("one"));
    ownership().take("prj-2", entry("two"));
    assert.equal(ownership().successorOf("prj-1", entry("one")), undefined);
  });

  it("an object goes to the resource that has created or adopted it", () => {
    ownership().take("prj-1", entry("new", "1"));
    assert.equal(ownership().successorOf("prj-1", entry("old")), '"new"');
  });

  it("an object goes to the resource that has it in state, as after a rename that was interrupted", () => {
    ownership().hold("prj-1", entry("new", "1"));
    assert.equal(ownership().successorOf("prj-1", entry("old")), '"new"');
  });

  it("an object goes to the new half of a resource that is replaced", () => {
    ownership().take("prj-1", entry("one", "2"));
    assert.equal(ownership().successorOf("prj-1", entry("one", "1")), '"one"');
    assert.equal(ownership().successorOf("prj-1", entry("one")), '"one"');
  });

  it("an object is deleted by the entry that was written in this operation", () => {
    ownership().hold("prj-1", entry("old"));
    ownership().take("prj-1", entry("new", "1"));
    assert.equal(ownership().successorOf("prj-1", entry("new", "1")), undefined);
  });

  it("an object is refused to a second resource, and nothing is noted of that one", () => {
    ownership().hold("prj-1", entry("one"));
    assert.throws(
      () => ownership().hold("prj-1", entry("two")),
      (error) => {
        assert.ok(error instanceof TriviumError);
        assert.match(error.message, /provisioning:Project prj-1 is managed by the resource "one"/);
        return true;
      },
    );
    assert.equal(ownership().successorOf("prj-1", entry("one")), undefined);
  });

  it("an object belongs to an entry that has got another URN by an alias", () => {
    ownership().hold("prj-1", entry("old"), urn("new"));
    assert.equal(ownership().successorOf("prj-1", entry("old")), undefined);
    assert.throws(() => ownership().assertFree("prj-1", urn("other")), /the resource "new"/);
    ownership().assertFree("prj-1", urn("new"));
  });

  it("an object is another one at another service and of another class", () => {
    ownership().take("prj-1", entry("new"));
    assert.equal(ownership(projectDefinition, "there").successorOf("prj-1", entry("old")), undefined);
    assert.equal(ownership(librarySetDefinition).successorOf("prj-1", entry("old")), undefined);
  });

  it("an object is known by its id as the service compares it", () => {
    const inProduct = (): Ownership => ownership(librarySetDefinition, "here", "hashicorp");
    inProduct().take("ldap/Ops", entry("new", "1"));
    assert.equal(inProduct().successorOf("ldap/ops", entry("old")), '"new"');
    ownership(librarySetDefinition).take("ldap/Sales", entry("new", "1"));
    assert.equal(ownership(librarySetDefinition).successorOf("ldap/sales", entry("old")), undefined);
  });

  it("an object is known to be refused to another resource, which is not a successor", () => {
    ownership().refuse("prj-1", entry("new"));
    assert.equal(ownership().refusedTo("prj-1", entry("old")), '"new"');
    assert.equal(ownership().refusedTo("prj-1", entry("new")), undefined);
    assert.equal(ownership().refusedTo("prj-2", entry("old")), undefined);
    assert.equal(ownership().successorOf("prj-1", entry("old")), undefined);
  });

  it("an object may be shared where the class says so", () => {
    const shared = (): Ownership => ownership(projectWorkspacesDefinition);
    shared().hold("prj-1", entry("one"));
    shared().hold("prj-1", entry("two"));
    assert.equal(shared().successorOf("prj-1", entry("one")), undefined);
  });

  describe("of a part of an object", () => {
    const parts = (): Ownership => ownership(projectWorkspacesDefinition);

    it("a part of an object is elsewhere when another entry has moved it, or another resource names it", () => {
      parts().move("ws-1", entry("new"));
      assert.ok(parts().isElsewhere("ws-1", entry("old")));
      assert.ok(!parts().isElsewhere("ws-1", entry("new")));
      parts().claim({ urn: urn("later"), args: { projectId: "prj-2", workspaceIds: ["ws-2"] } });
      assert.ok(parts().isElsewhere("ws-2", entry("old")));
      assert.ok(!parts().isElsewhere("ws-3", entry("old")));
    });

    it("a part of an object is elsewhere for the old half of a resource that is replaced", () => {
      parts().move("ws-1", entry("one", "2"));
      assert.ok(parts().isElsewhere("ws-1", entry("one", "1")));
    });
  });
});
