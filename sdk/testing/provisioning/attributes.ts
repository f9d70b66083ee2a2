import { type Form, problemsOf } from "../forms";
import { invalid, type Refusal } from "./json-api";

/** Creates the refusal of an attribute's value from a problem such as `can't be blank`. */
export type Refuse = (problem: string) => Refusal;

export interface Attribute<Value> {
  /** Names on the wire; of those in a request the last one wins. Default: the member's name in kebab case. */
  readonly names?: readonly string[];
  readonly is?: Form<Value>;
  /** Default value. Without it, the attribute is required in a creation. */
  readonly initial?: () => Value;
  /** Reads a request's value, `undefined` when it was not sent. Without it, requests cannot set the attribute. */
  readonly read?: (value: unknown, refuse: Refuse) => Value;
  readonly show?: (value: Value) => unknown;
}

export function shown<Value>(is: Form<Value>, initial: Value) {
  return { is, initial: () => initial };
}

export function settable<Value>(is: Form<Value>, initial: Value) {
  return {
    ...shown(is, initial),
    read(value: unknown, refuse: Refuse): Value {
      const [problem] = problemsOf(is, value, "");
      if (problem !== undefined) {
        throw refuse(problem.trim());
      }
      return value as Value;
    },
  };
}

interface Row<Values> {
  readonly member: keyof Values & string;
  readonly attribute: Attribute<Values[keyof Values]>;
  readonly names: readonly string[];
}

export class AttributeTable<Values extends object> {
  readonly settable: readonly string[];
  private readonly rows: readonly Row<Values>[];

  constructor(attributes: { readonly [Name in keyof Values]: Attribute<Values[Name]> }) {
    const entries = Object.entries(attributes) as [keyof Values & string, Attribute<Values[keyof Values]>][];
    this.rows = entries.map(([member, attribute]) => {
      const name = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      return { member, attribute, names: attribute.names ?? [name] };
    });
    this.settable = this.rows.flatMap(({ attribute, names }) => (attribute.read === undefined ? [] : names));
  }

  optionalForms(): { readonly [Name in keyof Values]: Form<Values[Name] | undefined> } {
    const forms = this.rows.flatMap(({ member, attribute: { is } }) => (is ? [[member, is.optional()]] : []));
    return Object.fromEntries(forms) as { readonly [Name in keyof Values]: Form<Values[Name] | undefined> };
  }

  initial(): Values {
    const values = this.rows.flatMap(({ member, attribute: { initial } }) =>
      initial ? [[member, initial()]] : [],
    );
    return Object.fromEntries(values) as Values;
  }

  /** @throws Refusal 422 for an invalid value */
  readChange(sent: ReadonlyMap<string, unknown>): Partial<Values> {
    return this.read(sent, () => false);
  }

  /** @throws Refusal 422 also for a missing required attribute */
  readNew(sent: ReadonlyMap<string, unknown>): Values {
    return { ...this.initial(), ...this.read(sent, ({ initial }) => initial === undefined) };
  }

  show(values: Values): Record<string, unknown> {
    return Object.fromEntries(
      this.rows.flatMap(({ member, attribute: { show = (value) => value }, names }) =>
        names.map((name) => [name, show(values[member])]),
      ),
    );
  }

  private read(
    sent: ReadonlyMap<string, unknown>,
    isRequired: (attribute: Attribute<Values[keyof Values]>) => boolean,
  ): Partial<Values> {
    const values = this.rows.flatMap(({ member, attribute, names }) =>
      names
        .filter((name) => attribute.read && (sent.has(name) || isRequired(attribute)))
        .map((name) => [member, attribute.read?.(sent.get(name), refusing(name))]),
    );
    return Object.fromEntries(values) as Partial<Values>;
  }
}

/** The service's messages begin with the attribute's name. */
export function refusing(name: string): Refuse {
  const subject = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return (problem) => invalid(`/data/attributes/${name}`, `${subject} ${problem}`);
}
