import type { Body } from "./body";
import { badRequest } from "./refusal";

/** One field of an object: everything that the emulator knows of it. Its name on the wire is the row's in snake case. */
export interface Field<Value> {
  /** The value in a body, `undefined` for none. Without it, no request sets the field. */
  readonly read?: (body: Body, name: string) => Value | undefined;
  /** The value of a field that was never sent. */
  readonly initial?: Value;
  /** The refusal when there is neither a value nor an initial one. Default `missing` and the name. */
  readonly missing?: string;
  /** What a value that is sent must be, and the refusal of others. */
  readonly rule?: readonly [holds: (value: Value) => boolean, refusal: string];
  /** Whether a write that leaves the field out puts it back to `initial`. Otherwise it stays. */
  readonly resets?: boolean;
  /** Its name in responses, where it differs. */
  readonly returnedAs?: string;
  /** The value in responses; `undefined` omits it. Default: the value. */
  readonly returned?: (value: Value) => unknown;
}

const kindOf =
  <Value>(read: Field<Value>["read"], initial: Value) =>
  (about: Field<Value> = {}): Field<Value> => ({ read, initial, ...about });

export const text = kindOf<string>((body, name) => body.text(name), "");
export const boolean = kindOf<boolean>((body, name) => body.boolean(name), false);
export const integer = kindOf<number>((body, name) => body.integer(name), 0);
export const seconds = kindOf<number>((body, name) => body.duration(name), 0);
export const list = kindOf<readonly string[]>((body, name) => body.list(name), []);
export const map = kindOf<Readonly<Record<string, string>>>((body, name) => body.map(name), {});

/** A time that an empty text unsets, in both dialects. */
export const secondsOrEmpty = seconds({
  read: (body, name) => (body.isEmpty(name) ? 0 : body.duration(name)),
});

/** A text that must be sent, and not empty. */
export const requiredText = (missing?: string): Field<string> =>
  text({ read: (body, name) => body.text(name) || undefined, initial: undefined, missing });

/** @param refusal of every other word */
export const oneOf = <Word extends string>(
  words: readonly Word[],
  refusal: string,
  about: Field<Word>,
): Field<Word> => ({
  read: (body, name) => body.text(name) as Word | undefined,
  rule: [(word) => words.includes(word), refusal],
  ...about,
});

/** For `returned`: in no response. */
export const never = (): undefined => undefined;

interface Row {
  readonly key: string;
  readonly name: string;
  readonly field: Field<unknown>;
}

/** The fields of one kind of object. */
export class FieldTable<Item extends object> {
  /** What a body may hold. */
  readonly names: readonly string[];
  private readonly rows: readonly Row[];

  constructor(rows: { readonly [Name in keyof Item]-?: Field<Item[Name]> }) {
    this.rows = (Object.entries(rows) as [string, Field<unknown>][]).map(([key, field]) => {
      return { key, name: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field };
    });
    this.names = this.rows.flatMap(({ name, field }) => (field.read === undefined ? [] : [name]));
  }

  /**
   * The object after a write.
   *
   * @param present the object before it, or as much of it as need not be sent
   * @throws Refusal 400
   */
  read(body: Body, present: Partial<Item> = {}): Item {
    const before = new Map<string, unknown>(Object.entries(present));
    // Values of the wrong kind are refused first, as by real servers.
    const sent = new Map(this.rows.map(({ key, name, field }) => [key, field.read?.(body, name)]));
    return this.build(({ key, name, field }) => {
      const { initial, missing = `missing ${name}`, resets = false, rule } = field;
      const own = sent.get(key);
      if (own !== undefined && rule?.[0](own) === false) {
        throw badRequest(rule[1]);
      }
      const value = own ?? (resets ? undefined : before.get(key)) ?? initial;
      if (value === undefined) {
        throw badRequest(missing);
      }
      return value;
    });
  }

  /** An object of which nothing else was said. */
  with<Given extends Partial<Item>>(given: Given): Item & Given {
    const values = new Map<string, unknown>(Object.entries(given));
    return { ...given, ...this.build(({ key, field }) => values.get(key) ?? field.initial) };
  }

  /** The members of a response. */
  returned(item: Item): Record<string, unknown> {
    const values = new Map<string, unknown>(Object.entries(item));
    return Object.fromEntries(
      this.rows.flatMap(({ key, name, field }) => {
        const { returnedAs = name, returned = (value: unknown) => value } = field;
        const member = returned(values.get(key));
        return member === undefined ? [] : [[returnedAs, member]];
      }),
    );
  }

  private build(valueOf: (row: Row) => unknown): Item {
    return Object.fromEntries(this.rows.map((row) => [row.key, valueOf(row)])) as Item;
  }
}
