import type { SharedNotes } from "../../engine/shared-notes";
import { TriviumError } from "../../base/errors";
import type { Dialect } from "../../base/settings";
import type { AnyResourceDefinition } from "../definition";
import { inDialect } from "../fields/field";
import type { JsonObject, JsonValue } from "../../base/json";
import { generationOf, pluginToken, typeToken, containsUnknown, urnIn } from "../state/protocol";

/** A resource of the program, and its entry in state. */
interface Note {
  readonly urn: string;
  readonly entry: string;
  /** Whether the entry was written in this operation. */
  readonly isNew?: boolean;
}

/**
 * A resource never deletes, restores or moves what another one wrote in the same operation. The engine creates a
 * renamed or replaced resource before it deletes the former one, and each may have its own process. Check *claims* the
 * names in the arguments, diff and creation *hold* the object, and creation and update record what they *moved*.
 */
export class Ownership {
  constructor(
    private readonly definition: AnyResourceDefinition,
    private readonly dialect: Dialect,
    private readonly place: string,
    private readonly notes: SharedNotes,
  ) {}

  /** Claims the known names in the arguments. Returns the problem if another resource of the program claims one. */
  claim(inputs: JsonObject): string | undefined {
    const urn = this.urnOf(inputs);
    if (urn === "") {
      return undefined;
    }
    const adopts = inputs.adopt === true;
    // If no document says that names are unique, the service decides about duplicates.
    const mayShareNames = this.definition.refusesDuplicates === true && this.dialect === "documented";
    for (const { key, what } of claimsOf(this.definition, this.dialect, inputs)) {
      this.notes.add("claim", this.keyOf(key), urn);
      if (adopts) {
        this.notes.add("adopt", this.keyOf(key), urn);
      }
      const kind = mayShareNames && !adopts ? "adopt" : "claim";
      const [other] = [...this.notes.find(kind, this.keyOf(key))].filter((each) => each !== urn);
      if (other !== undefined) {
        return (
          `${what} is also managed by the resource ${nameOf(other)} of this program. ` +
          "Remove one of the two from the program: the object is not deleted, because the other resource manages it."
        );
      }
    }
    return undefined;
  }

  /** Records that a resource has an object. `urn` is the current one; state may have a former one. */
  hold(id: string, outputs: JsonObject, urn = this.urnOf(outputs)): void {
    if (this.definition.idIsShared !== true) {
      this.assertFree(id, urn);
      const holder = inBothAdapters(urn);
      this.note("held", id, { urn: holder, entry: this.entryOf(outputs, holder) });
    }
  }

  /** A replaced resource does not keep its object. With an alias, the deletion has the former URN. */
  leave(id: string, urn: string): void {
    this.notes.add("leaving", this.keyOf(this.comparable(id)), inBothAdapters(urn));
  }

  /** For an object that was created or adopted. */
  take(id: string, outputs: JsonObject): void {
    if (this.definition.idIsShared !== true) {
      this.note("held", id, { urn: this.urnOf(outputs), entry: this.entryOf(outputs), isNew: true });
    }
  }

  /** @throws TriviumError if another resource of the program has the object */
  assertFree(id: string, urn: string): void {
    const own = inBothAdapters(urn);
    const other = this.find("held", id).find((note) => note.urn !== own && note.urn !== "" && own !== "");
    if (other !== undefined) {
      throw new TriviumError(
        `${this.definition.type} ${id} is managed by the resource ${nameOf(other.urn)} of this program.`,
        {
          advice:
            "Two resources cannot manage the same object. Remove one of them from the program: the object is not deleted, because " +
            "the other resource manages it.",
        },
      );
    }
  }

  /** The name of another resource that now has the object of the entry to delete. */
  successorOf(id: string, outputs: JsonObject): string | undefined {
    const entry = this.entryOf(outputs);
    const leaving = this.notes.find("leaving", this.keyOf(this.comparable(id)));
    const holders = this.find("held", id).filter((note) => note.isNew === true || !leaving.has(note.urn));
    // No operation deletes what it has just created.
    if (holders.some((note) => note.entry === entry && note.isNew === true)) {
      return undefined;
    }
    const successor = holders.find((note) => note.entry !== entry);
    return successor && nameOf(successor.urn);
  }

  /** Records that a resource was not created because the object exists. */
  refuse(id: string, outputs: JsonObject): void {
    this.note("refused", id, { urn: this.urnOf(outputs), entry: this.entryOf(outputs) });
  }

  /** The name of another resource that was not created because the object of the entry to delete exists. */
  refusedTo(id: string, outputs: JsonObject): string | undefined {
    const refused = this.find("refused", id).find(({ urn }) => urn !== this.urnOf(outputs));
    return refused && nameOf(refused.urn);
  }

  /** Records that this entry in state placed a part of an object. */
  move(part: string, outputs: JsonObject): void {
    this.note("moved", part, { urn: this.urnOf(outputs), entry: this.entryOf(outputs) });
  }

  /** Whether another resource of the program has moved the part, or names it. */
  isElsewhere(part: string, outputs: JsonObject, urn = this.urnOf(outputs)): boolean {
    const entry = this.entryOf(outputs);
    const claims = [...this.notes.find("claim", this.keyOf(part))];
    return (
      this.find("moved", part).some((note) => note.entry !== entry) || claims.some((each) => each !== urn)
    );
  }

  private note(kind: string, id: string, note: Note): void {
    this.notes.add(kind, this.keyOf(this.comparable(id)), JSON.stringify(note));
  }

  private find(kind: string, id: string): Note[] {
    const found = this.notes.find(kind, this.keyOf(this.comparable(id)));
    return [...found].map((text) => JSON.parse(text) as Note);
  }

  private urnOf(values: JsonObject): string {
    return inBothAdapters(urnIn(values, this.definition.type) ?? "");
  }

  /** During a replacement, two entries have the same URN. Entries of the plugin have none: then `urn` is used. */
  private entryOf(outputs: JsonObject, urn = ""): string {
    const own = this.urnOf(outputs);
    return `${own === "" ? urn : own} ${generationOf(outputs) ?? ""}`;
  }

  private comparable(id: string): string {
    return this.definition.canonicalId?.(id, this.dialect) ?? id;
  }

  private keyOf(key: string): string {
    return `${this.place} ${this.definition.type} ${key}`;
  }
}

/** Same URN in both adapters: after a switch, the former provider deletes what the other one replaced. */
function inBothAdapters(urn: string): string {
  return urn.replaceAll(typeToken(""), pluginToken(""));
}

/** Names and parts that only one resource of a program may have. */
function claimsOf(
  definition: AnyResourceDefinition,
  dialect: Dialect,
  inputs: JsonObject,
): readonly { readonly key: string; readonly what: string }[] {
  const valueOf = (name: string): JsonValue =>
    inputs[name] ?? inDialect(definition.arguments[name]?.default, dialect) ?? null;
  const { identifiedBy = [], parts: partsIn } = definition;
  const listed = partsIn === undefined ? [] : [valueOf(partsIn)].flat();
  const parts = listed.flatMap((part) =>
    typeof part === "string" && !containsUnknown(part)
      ? [{ key: part, what: `${String(partsIn)}: ${part}` }]
      : [],
  );
  const named = identifiedBy.map((name) => ({ name, value: valueOf(name) }));
  if (named.length === 0 || named.some(({ value }) => value === null || containsUnknown(value))) {
    return parts;
  }
  const key = named.map(({ name, value }) => definition.arguments[name]?.canonical?.(value) ?? value);
  const what = named.map(({ name, value }) => `${name} ${JSON.stringify(value)}`).join(", ");
  return [...parts, { key: JSON.stringify(key), what: `${definition.type} with ${what}` }];
}

function nameOf(urn: string): string {
  return JSON.stringify(urn.slice(urn.lastIndexOf("::") + 2));
}
