import type { Body } from "./body";
import { badRequest } from "./refusal";

/** One field of an object. Its name on the wire is the row's name in snake case. */
export interface Field<Value> {
  /** Reads the value in a body. Without it, requests cannot set the field. */
  readonly read?: (body: Body, name: string) => Value | undefined;
  /** The value of a field that was never sent. */
  readonly initial?: Value;
  /** The error when there is no value. Default: `missing` and the name. */
  readonly missing?: string;
  readonly rule?: readonly [holds: (value: Value) => boolean, refusal: string];
  /** Whether a write without the field resets it to `initial`. */
  readonly resets?: boolean;
  readonly returnedAs?: string;
  /** The value in responses; `undefined` omits it. */
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

/** In both dialects an empty string unsets the time. */
export const secondsOrEmpty = seconds({
  read: (body, name) => (body.isEmpty(name) ? 0 : body.duration(name)),
});

export const requiredText = (missing?: string): Field<string> =>
  text({ read: (body, name) => body.text(name) || undefined, initial: undefined, missing });

export const oneOf = <Word extends string>(
  words: readonly Word[],
  refusal: string,
  about: Field<Word>,
): Field<Word> => ({
  read: (body, name) => body.text(name) as Word | undefined,
  rule: [(word) => words.includes(word), refusal],
  ...about,
});

/** For `returned`: omits the field from all responses. */
export const never = (): undefined => undefined;

interface Row {
  readonly key: string;
  readonly name: string;
  readonly field: Field<unknown>;
}

export class FieldTable<Item extends object> {
  readonly names: readonly string[];
  private readonly rows: readonly Row[];

  constructor(rows: { readonly [Name in keyof Item]-?: Field<Item[Name]> }) {
    this.rows = (Object.entries(rows) as [string, Field<unknown>][]).map(([key, field]) => {
      return { key, name: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), field };
    });
    this.names = this.rows.flatMap(({ name, field }) => (field.read === undefined ? [] : [name]));
  }

  /**
   * @param present the object before the write, or as much of it as need not be sent
   * @throws Refusal 400 for an invalid or missing field
   */
  read(body: Body, present: Partial<Item> = {}): Item {
    const before = new Map<string, unknown>(Object.entries(present));
    // Values of the wrong type are refused first, as on real servers.
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

  with<Given extends Partial<Item>>(given: Given): Item & Given {
    const values = new Map<string, unknown>(Object.entries(given));
    return { ...given, ...this.build(({ key, field }) => values.get(key) ?? field.initial) };
  }

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
