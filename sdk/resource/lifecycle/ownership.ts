import type { SharedNotes } from "../../engine/shared-notes";
import { TriviumError } from "../../base/errors";
import type { DefinitionIn, Holder } from "../definition";
import { canonicalForm } from "../fields/field";
import { type JsonObject, type JsonValue, mapped } from "../../base/json";
import { nameInUrn } from "../../base/urn";
import { containsUnknown, type Entry, type Program } from "../state/entry";
import { inBothAdapters } from "../state/encoding";

/** Distinguishes entries in state. */
type Owner = Pick<Entry, "urn" | "generation">;

/** A resource of the program, and its entry in state. */
interface Note {
  readonly urn: string;
  readonly entry: string;
  /** Whether the entry was written in this operation. */
  readonly isNew?: boolean;
}

/**
 * A resource never deletes, restores or moves what another one wrote in the same operation. The engine
 * creates a renamed or replaced resource before it deletes the former one, and each can run in its own
 * process. Check *claims* the names in the arguments, diff and creation *hold* the object, and creation and
 * update record what they *moved*.
 */
export class Ownership {
  constructor(
    private readonly definition: DefinitionIn,
    private readonly place: string,
    private readonly notes: SharedNotes,
  ) {}

  /** Claims the objects that the known arguments name. Returns the problem if another resource of the program claims it. */
  claim({ urn: own, args }: Pick<Program, "urn" | "args">): string | undefined {
    const urn = inBothAdapters(own ?? "");
    if (urn === "") {
      return undefined;
    }
    const claims = claimsOf(this.definition, args);
    for (const { key, what, isShared = false, advice = keptByOther } of claims) {
      const kinds = isShared ? ["claim"] : ["claim", "alone"];
      kinds.forEach((kind) => this.notes.add(kind, this.at(key), urn));
      const claimants = this.notes.find(isShared ? "alone" : "claim", this.at(key));
      const other = [...claimants].find((each) => each !== urn);
      if (other !== undefined) {
        return `${what} is also managed by the resource ${nameOf(other)} of this program. ${advice}`;
      }
    }
    return undefined;
  }

  /** Records that a resource has an object. `urn` is the current one; state might have a former one. */
  hold(id: string, entry: Owner, urn = entry.urn ?? ""): void {
    if (this.definition.identity?.idIsShared !== true) {
      this.assertFree(id, urn);
      const holder = inBothAdapters(urn);
      this.note("held", id, { urn: holder, entry: entryOf({ ...entry, urn: entry.urn ?? holder }) });
    }
  }

  /** A replaced resource does not keep its object. With an alias, the deletion uses the former URN. */
  leave(id: string, urn: string): void {
    this.notes.add("leaving", this.keyOf(this.comparable(id)), inBothAdapters(urn));
  }

  /** Records an object that was created or adopted. */
  take(id: string, entry: Owner): void {
    if (this.definition.identity?.idIsShared !== true) {
      this.note("held", id, { ...noteOf(entry), isNew: true });
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

  /** Which resource of the program has an object that another one would be created as. */
  holderOf(id: string, entry: Owner): Holder {
    const { urn: own } = noteOf(entry);
    const holders = this.find("held", id).filter(({ urn }) => urn !== "");
    const other = holders.find(({ urn }) => urn !== own);
    return other === undefined ? (holders.length > 0 ? "itself" : undefined) : { name: nameOf(other.urn) };
  }

  /** The name of another resource that now has the object of the entry to delete. */
  successorOf(id: string, deleted: Owner): string | undefined {
    const entry = entryOf(deleted);
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
  refuse(id: string, entry: Owner): void {
    this.note("refused", id, noteOf(entry));
  }

  /** The name of another resource that was not created because this object, which is to be deleted, exists. */
  refusedTo(id: string, deleted: Owner): string | undefined {
    const refused = this.find("refused", id).find(({ urn }) => urn !== noteOf(deleted).urn);
    return refused && nameOf(refused.urn);
  }

  /** Records that this entry in state placed a part of an object. */
  move(part: string, entry: Owner): void {
    this.note("moved", part, noteOf(entry));
  }

  /** Whether another resource of the program has moved the part, or lists it. */
  isElsewhere(part: string, own: Owner): boolean {
    const { urn, entry } = noteOf(own);
    const claims = [...this.notes.find("claim", this.at(part))];
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

  private comparable(id: string): string {
    return this.definition.identity?.canonicalId?.(id, this.definition.dialect) ?? id;
  }

  private keyOf(key: string): string {
    return this.at(`${this.definition.type} ${key}`);
  }

  private at(key: string): string {
    return `${this.place} ${key}`;
  }
}

const keptByOther =
  "Remove one of the two from the program: the object is not deleted, because the other resource manages it.";

/** During a replacement, two entries have the same URN. */
function entryOf({ urn, generation }: Owner): string {
  return `${inBothAdapters(urn ?? "")} ${generation ?? ""}`;
}

function noteOf(entry: Owner): Note {
  return { urn: inBothAdapters(entry.urn ?? ""), entry: entryOf(entry) };
}

/** What only one resource of a program can have. */
export function claimsOf(definition: DefinitionIn, args: JsonObject) {
  const valueOf = (name: string): JsonValue => args[name] ?? definition.arguments[name]?.default ?? null;
  const { identity } = definition;
  const names = identity?.arguments ?? [];
  const values = mapped(definition.arguments, (_argument, name) =>
    containsUnknown(valueOf(name)) ? null : valueOf(name),
  );
  const own = identity?.claims?.(values, definition.dialect) ?? [];
  const named = names.map((name) => ({ name, value: valueOf(name) }));
  if (named.length === 0 || named.some(({ value }) => value === null || containsUnknown(value))) {
    return own;
  }
  const key = named.map(({ name, value }) => canonicalForm(definition.arguments[name] ?? {}, value));
  const what = named.map(({ name, value }) => `${name} ${JSON.stringify(value)}`).join(", ");
  return [
    ...own,
    { key: JSON.stringify([definition.type, ...key]), what: `${definition.type} with ${what}` },
  ];
}

function nameOf(urn: string): string {
  return JSON.stringify(nameInUrn(urn));
}
