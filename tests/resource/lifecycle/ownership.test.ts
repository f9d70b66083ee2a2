import assert from "node:assert/strict";
import { OwnNotes } from "../../../sdk/engine/shared-notes";
import type { Dialect } from "../../../sdk/base/settings";
import { TriviumError } from "../../../sdk/base/errors";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { projectWorkspacesDefinition } from "../../../sdk/provisioning/project-workspaces";
import { type AnyResourceDefinition, definitionIn } from "../../../sdk/resource/definition";
import type { JsonObject } from "../../../sdk/base/json";
import { Ownership } from "../../../sdk/resource/lifecycle/ownership";
import { emptyEntry, unknown } from "../../../sdk/resource/state/entry";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";

describe("Ownership", () => {
  let notes: OwnNotes;
  /** Of projects, as a process has it: what it knows is in the notes. */
  let own: Ownership;
  beforeEach(() => {
    notes = new OwnNotes();
    own = of(projectDefinition);
  });

  const of = (definition: AnyResourceDefinition, place = "here", dialect: Dialect = "documented") =>
    new Ownership(definitionIn(definition, dialect), place, notes);
  const urn = (name: string, type = "type"): string => `urn:pulumi:test::tests::${type}::${name}`;
  const entry = (name: string, generation?: string) => ({ urn: urn(name), generation });

  it("ownership allows each adapter to delete an entry that the other one replaces, and no one else's", () => {
    const dynamic = (name: string) => urn(name, "pulumi-nodejs:dynamic/trivium/x:Y");
    const plugin = (name: string) => urn(name, "trivium:x:Y");
    // Entries that the plugin wrote have no URN: each call of the plugin brings it.
    own.hold("prj-1", emptyEntry, dynamic("one"));
    assert.equal(own.successorOf("prj-1", { ...emptyEntry, urn: plugin("one") }), undefined);
    assert.equal(own.successorOf("prj-1", { ...emptyEntry, urn: plugin("two") }), '"one"');
    own.hold("prj-2", { ...emptyEntry, urn: plugin("one") });
    assert.equal(own.successorOf("prj-2", { ...emptyEntry, urn: dynamic("one") }), undefined);
    own.assertFree("prj-2", dynamic("one"));
    assert.throws(() => own.assertFree("prj-2", dynamic("two")), /managed by the resource "one"/);
  });

  const payments = { organization: "acme", name: "payments" };
  const claim = (name: string, args: JsonObject, ownership = own): string =>
    ownership.claim({ urn: urn(name), args }) ?? "";

  it("ownership leaves two objects with one name to the service if the documentation does not forbid them, unless one adopts", () => {
    const products = of(projectDefinition, "there", "hashicorp");
    assert.equal(claim("one", payments, products), "");
    assert.match(claim("two", payments, products), /is also managed by the resource "one"/);
    assert.deepEqual([claim("one", payments), claim("two", payments)], ["", ""]);
    const found = claim("three", { ...payments, adopt: true });
    assert.match(found, /with organization "acme", name "payments" is also managed by the resource "one"/);
    assert.match(claim("four", payments), /is also managed by the resource "three"/);
  });

  it("ownership accepts the same resource again, other names, another service, and unknown values", () => {
    const open = { ...payments, organization: unknown };
    for (const [name, args, ownership] of [
      ["one", payments, own],
      ["one", payments, own],
      ["two", { ...payments, name: "billing" }, own],
      ["three", payments, of(projectDefinition, "there")],
      ["four", open, own],
      ["five", open, own],
    ] as const) {
      assert.equal(claim(name, { ...args, adopt: true }, ownership), "", name);
    }
  });

  it("ownership names each part of a list that another resource manages", () => {
    const parts = (name: string, workspaceIds: string[]): string =>
      claim(name, { projectId: "prj-1", workspaceIds }, of(projectWorkspacesDefinition));
    assert.deepEqual([parts("one", ["ws-1", "ws-2"]), parts("two", ["ws-3"])], ["", ""]);
    const found = parts("three", ["ws-4", "ws-2"]);
    assert.match(found, /workspaceIds: ws-2 is also managed by the resource "one"/);
  });

  const [old, first] = [entry("old"), entry("one", "1")];
  // What happens before the entry of "old", or another one, is deleted, and who has the object then.
  const rows: readonly [string, () => unknown, successor?: string, asked?: typeof old][] = [
    ["has no successor when nobody has it", () => own.take("prj-2", entry("two"))],
    ["has no successor when nobody else has it", () => own.hold("prj-1", old)],
    ["goes to the resource that adopted it", () => own.take("prj-1", entry("new", "1")), '"new"'],
    ["goes to the resource that has it in state", () => own.hold("prj-1", entry("new", "1")), '"new"'],
    ["goes to the new half of a resource", () => own.take("prj-1", entry("one", "2")), '"one"', first],
    [
      "goes to the new half of a former resource",
      () => own.take("prj-1", entry("one", "2")),
      '"one"',
      entry("one"),
    ],
    ["is a different object at another service", () => of(projectDefinition, "there").take("prj-1", first)],
    ["is a different object for another class", () => of(librarySetDefinition).take("prj-1", first)],
  ];
  for (const [title, before, successor, asked = old] of rows) {
    it(`an object ${title}`, () => {
      before();
      assert.equal(own.successorOf("prj-1", asked), successor);
    });
  }

  it("only the entry that was written in this operation can delete the object", () => {
    own.hold("prj-1", old);
    own.take("prj-1", first);
    assert.equal(own.successorOf("prj-1", first), undefined);
  });

  it("an object belongs to an entry that has a different URN because of an alias", () => {
    own.hold("prj-1", old, urn("new"));
    assert.throws(() => own.assertFree("prj-1", urn("other")), /the resource "new"/);
    own.assertFree("prj-1", urn("new"));
    assert.equal(own.successorOf("prj-1", old), undefined);
  });

  it("an object is not assigned to a second resource, which leaves no note", () => {
    own.hold("prj-1", old);
    const message = /provisioning:Project prj-1 is managed by the resource "old"/;
    assert.throws(() => own.hold("prj-1", entry("two")), { name: TriviumError.className, message });
    assert.equal(own.successorOf("prj-1", old), undefined);
  });

  it("an object is known to have been denied to another resource, which is not a successor", () => {
    own.refuse("prj-1", first);
    assert.equal(own.refusedTo("prj-1", old), '"one"');
    assert.equal(own.refusedTo("prj-1", first) ?? own.refusedTo("prj-2", old), undefined);
    assert.equal(own.successorOf("prj-1", old), undefined);
  });

  it("an object is identified by its ID as the service compares it", () => {
    const [documented, product] = [of(librarySetDefinition), of(librarySetDefinition, "here", "hashicorp")];
    product.take("ldap/Ops", entry("new", "1"));
    assert.equal(product.successorOf("ldap/ops", old), '"new"');
    documented.take("ldap/Sales", entry("new", "1"));
    assert.equal(documented.successorOf("ldap/sales", old), undefined);
  });

  it("an object can have two resources if its class allows it", () => {
    const shared = of(projectWorkspacesDefinition);
    shared.hold("prj-1", entry("one"));
    shared.hold("prj-1", entry("two"));
    assert.equal(shared.successorOf("prj-1", entry("one")), undefined);
  });

  it("a part of an object counts as moved if another entry has moved it, even one of the same resource, or if another resource lists it", () => {
    const parts = of(projectWorkspacesDefinition);
    parts.move("ws-1", entry("one", "2"));
    assert.ok(parts.isElsewhere("ws-1", old) && parts.isElsewhere("ws-1", first));
    assert.ok(!parts.isElsewhere("ws-1", entry("one", "2")));
    parts.claim({ urn: urn("later"), args: { projectId: "prj-2", workspaceIds: ["ws-2"] } });
    assert.ok(parts.isElsewhere("ws-2", old));
    assert.ok(!parts.isElsewhere("ws-3", old));
  });
});
