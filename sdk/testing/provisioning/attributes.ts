import { type Form, problemsOf } from "../forms";
import { invalid, type Refusal } from "./json-api";

/** Makes a refusal of a problem with an attribute, such as `can't be blank`. */
export type Refuse = (problem: string) => Refusal;

/** What the service knows of one attribute of a resource. */
export interface Attribute<Value> {
  /**
   * On the wire; of several names each is understood and shown, and the last one sent counts. Default: the member's
   * name in kebab case.
   */
  readonly names?: readonly string[];
  /** What it may be in a seed. */
  readonly is?: Form<Value>;
  /** What it is until it is set. Without it, the attribute is required in a creation. */
  readonly initial?: () => Value;
  /** The value that a request sets; `undefined` when it was not sent. Without this, requests cannot set it. */
  readonly read?: (value: unknown, refuse: Refuse) => Value;
  /** Default: as it is. */
  readonly show?: (value: Value) => unknown;
}

/** An attribute that requests cannot set. */
export function shown<Value>(is: Form<Value>, initial: Value) {
  return { is, initial: () => initial };
}

/** An attribute that requests can set to whatever it may be. */
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

/** The attributes of one type of resource, each stated once. */
export class AttributeTable<Values extends object> {
  /** The names that a request may use. */
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

  /** What a seed may say of them. */
  optionalForms(): { readonly [Name in keyof Values]: Form<Values[Name] | undefined> } {
    const forms = this.rows.flatMap(({ member, attribute: { is } }) => (is ? [[member, is.optional()]] : []));
    return Object.fromEntries(forms) as { readonly [Name in keyof Values]: Form<Values[Name] | undefined> };
  }

  /** What they are until they are set. */
  initial(): Values {
    const values = this.rows.flatMap(({ member, attribute: { initial } }) =>
      initial ? [[member, initial()]] : [],
    );
    return Object.fromEntries(values) as Values;
  }

  /**
   * What a request changes.
   *
   * @throws Refusal 422 for a value that an attribute may not have
   */
  readChange(sent: ReadonlyMap<string, unknown>): Partial<Values> {
    return this.read(sent, () => false);
  }

  /**
   * What a request creates.
   *
   * @throws Refusal 422 also for an attribute that must be sent and is not
   */
  readNew(sent: ReadonlyMap<string, unknown>): Values {
    return { ...this.initial(), ...this.read(sent, ({ initial }) => initial === undefined) };
  }

  /** As the interface shows them. */
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

/** Messages of the service begin with the name of the attribute. */
export function refusing(name: string): Refuse {
  const subject = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return (problem) => invalid(`/data/attributes/${name}`, `${subject} ${problem}`);
}
