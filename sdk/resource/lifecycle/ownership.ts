import type { SharedNotes } from "../../engine/shared-notes";
import { TriviumError } from "../../base/errors";
import type { Dialect } from "../../base/settings";
import type { AnyResourceDefinition } from "../definition";
import type { JsonObject, JsonValue } from "../../base/json";
import { generationOf } from "../state/hidden";
import { pluginToken, typeToken } from "../state/stub";
import { containsUnknown } from "../state/unknown";
import { urnIn } from "../state/urn";

/** The author of a note: a resource of the program, and its entry in state. */
interface Note {
  readonly urn: string;
  readonly entry: string;
  /** The entry was written in this operation. */
  readonly isNew?: boolean;
}

/**
 * One operation never undoes itself: what one of its resources has created, adopted or written is not
 * deleted, restored or moved away by another. The engine creates before it deletes when a resource is renamed
 * or replaced, and calls the provider process of each resource.
 *
 * There are three kinds of notes. At check, a resource of the program *claims* what its arguments name. At
 * diff it *holds* the object in its state, and after creation or adoption its new object. At creation and
 * update it records what it has *moved*. Before a deletion, an entry in state asks whether another entry
 * holds the same object.
 */
export class Ownership {
  /**
   * @param place the service, the same for all connections to it
   * @param notes those of the operation
   */
  constructor(
    private readonly definition: AnyResourceDefinition,
    private readonly dialect: Dialect,
    private readonly place: string,
    private readonly notes: SharedNotes,
  ) {}

  /**
   * Claims what the arguments name, as far as they are known.
   *
   * @returns why not, if another resource of the program has claimed it
   */
  claim(inputs: JsonObject): string | undefined {
    const urn = this.urnOf(inputs);
    if (urn === "") {
      return undefined;
    }
    const adopts = inputs.adopt === true;
    // Where no document says that names are unique, the service decides whether two objects may have the same.
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

  /**
   * Records that a resource of the program has an object.
   *
   * @param outputs its state
   * @param urn its URN, if the state has a former one
   * @throws TriviumError if another resource of the program has it
   */
  hold(id: string, outputs: JsonObject, urn = this.urnOf(outputs)): void {
    if (this.definition.shared !== true) {
      this.assertFree(id, urn);
      const holder = inBothAdapters(urn);
      this.note("held", id, { urn: holder, entry: this.entryOf(outputs, holder) });
    }
  }

  /**
   * Records that a resource is replaced, so that it does not keep the object it has. With an alias, the deletion of that
   * object has the former URN.
   */
  leave(id: string, urn: string): void {
    this.notes.add("leaving", this.keyOf(this.comparable(id)), inBothAdapters(urn));
  }

  /** Records that a resource created or adopted an object. */
  take(id: string, outputs: JsonObject): void {
    if (this.definition.shared !== true) {
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

  /**
   * @param outputs the entry in state to delete
   * @returns the name of another resource that has its object; `undefined` if there is none
   */
  successorOf(id: string, outputs: JsonObject): string | undefined {
    const entry = this.entryOf(outputs);
    const leaving = this.notes.find("leaving", this.keyOf(this.comparable(id)));
    const holders = this.find("held", id).filter((note) => note.isNew === true || !leaving.has(note.urn));
    // No operation deletes what it has just created.
    if (holders.some((note) => note.entry === entry && note.isNew === true)) {
      return undefined;
    }
    const heir = holders.find((note) => note.entry !== entry);
    return heir && nameOf(heir.urn);
  }

  /** Records that a resource was not created, because the object exists and the program does not adopt it. */
  refuse(id: string, outputs: JsonObject): void {
    this.note("refused", id, { urn: this.urnOf(outputs), entry: this.entryOf(outputs) });
  }

  /**
   * @param outputs the entry in state to delete
   * @returns the name of another resource that could not be created because of its object; `undefined` if
   *   there is none
   */
  refusedTo(id: string, outputs: JsonObject): string | undefined {
    const refused = this.find("refused", id).find(({ urn }) => urn !== this.urnOf(outputs));
    return refused && nameOf(refused.urn);
  }

  /** Records that a part of an object, which others may have too, is where this entry in state wants it. */
  move(part: string, outputs: JsonObject): void {
    this.note("moved", part, { urn: this.urnOf(outputs), entry: this.entryOf(outputs) });
  }

  /** Whether another resource of the program has moved a part, or names it. */
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

  /**
   * Distinguishes an entry in state from others of the same object: the URN alone does not in a replacement.
   *
   * @param urn of the resource, for an entry that the plugin wrote, which has none
   */
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

/**
 * The same URN for a resource that moves between the adapters: the provider of the former one deletes what the other
 * one replaces.
 */
function inBothAdapters(urn: string): string {
  return urn.replaceAll(typeToken(""), pluginToken(""));
}

/** What arguments name, by which two resources of a program would conflict. */
function claimsOf(
  definition: AnyResourceDefinition,
  dialect: Dialect,
  inputs: JsonObject,
): readonly { readonly key: string; readonly what: string }[] {
  const valueOf = (name: string): JsonValue =>
    inputs[name] ?? definition.arguments[name]?.default?.[dialect] ?? null;
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

/** The name of a resource in the program. */
function nameOf(urn: string): string {
  return JSON.stringify(urn.slice(urn.lastIndexOf("::") + 2));
}
