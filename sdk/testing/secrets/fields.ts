import { type Member, MemberTable } from "../members";
import type { Body } from "./body";
import { badRequest } from "./refusal";

export interface Field<Value> extends Member<Value> {
  /** Reads the value in a body. */
  readonly read?: (body: Body, name: string) => Value | undefined;
  /** The error when there is no value. Default: `missing` and the name. */
  readonly missing?: string | undefined;
  readonly rule?: readonly [holds: (value: Value) => boolean, refusal: string];
  /** Whether a write without the field resets it to `initial`. */
  readonly resets?: boolean;
}

const kindOf =
  <Value>(read: Field<Value>["read"], initial: Value) =>
  (options: Field<Value> = {}): Field<Value> => ({ read, initial, ...options });

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

export const oneOf = <Text extends string>(
  texts: readonly Text[],
  refusal: string,
  options: Field<Text>,
): Field<Text> => ({
  read: (body, name) => body.text(name) as Text | undefined,
  rule: [(text) => texts.includes(text), refusal],
  ...options,
});

/** For `returned`: omits the field from all responses. */
export const never = (): undefined => undefined;

/** Members that OpenBao does not have are in responses only if they differ from their initial value. */
export const enterprise = <Value>(field: Field<Value>): Field<Value> => ({
  ...field,
  returned: (value) => (value === field.initial ? undefined : value),
});

/** The item that a table of fields describes. */
export type ItemOf<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Field<infer Value> ? Value : never;
};

export class FieldTable<Item extends object> extends MemberTable<Item, Field<unknown>> {
  /** @param fields without the fields that exist only in the other dialect */
  constructor(fields: { readonly [Name in keyof Item]: Field<Exclude<Item[Name], undefined>> }) {
    super(fields, "_");
  }

  /**
   * @param present the object before the write, or the fields that a write can omit
   * @throws Refusal 400 for an invalid or missing field
   */
  read(body: Body, present: Partial<Item> = {}): Item {
    // Values of the wrong type are rejected first, as on real servers.
    const sent = this.rows.map(({ names: [name = ""], member }) => member.read?.(body, name));
    const values = this.rows.map(({ key, names, member }, index) => {
      const { initial, missing = `missing ${names.join()}`, resets = false, rule } = member;
      const own = sent[index];
      if (own !== undefined && rule?.[0](own) === false) {
        throw badRequest(rule[1]);
      }
      const value = own === undefined ? ((resets ? undefined : present[key]) ?? initial) : own;
      if (value === undefined) {
        throw badRequest(missing);
      }
      return [key, value];
    });
    return Object.fromEntries(values) as Item;
  }
}
