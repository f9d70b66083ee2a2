import { type Form, problemsOf } from "../forms";
import type { ProvisioningDialect } from "./dialect";
import { invalid, type Refusal } from "./json-api";

/** Makes a refusal of a problem with an attribute, such as `can't be blank`. */
export type Refuse = (problem: string) => Refusal;

/** What the service knows of one attribute of a resource. */
export interface Attribute<Value> {
  /**
   * On the wire; of several names each is understood and shown, and the last one sent counts. Default: the member's
   * name in kebab case.
   */
  readonly names?: (dialect: ProvisioningDialect) => readonly string[];
  /** What it may be in a seed. */
  readonly is?: Form<Value>;
  /** What it is until it is set. Without it, the attribute is required in a creation. */
  readonly initial?: () => Value;
  /** The value that a request sets; `undefined` when it was not sent. Without this, requests cannot set it. */
  readonly read?: (value: unknown, refuse: Refuse, dialect: ProvisioningDialect) => Value;
  /** Default: as it is. */
  readonly show?: (value: Value, dialect: ProvisioningDialect) => unknown;
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

type Row<Values> = readonly [keyof Values & string, Attribute<Values[keyof Values]>];

/** The attributes of one type of resource, each stated once. */
export class AttributeTable<Values extends object> {
  private readonly rows: readonly Row<Values>[];

  constructor(rows: { readonly [Name in keyof Values]: Attribute<Values[Name]> }) {
    this.rows = Object.entries(rows) as unknown as readonly Row<Values>[];
  }

  /** What a seed may say of them. */
  optionalForms(): { readonly [Name in keyof Values]: Form<Values[Name] | undefined> } {
    const forms = this.rows.flatMap(([member, { is }]) =>
      is === undefined ? [] : [[member, is.optional()]],
    );
    return Object.fromEntries(forms) as { readonly [Name in keyof Values]: Form<Values[Name] | undefined> };
  }

  /** What they are until they are set. */
  initial(): Values {
    const values = this.rows.flatMap(([member, { initial }]) => (initial ? [[member, initial()]] : []));
    return Object.fromEntries(values) as Values;
  }

  /** The names that a request may use. */
  settable(dialect: ProvisioningDialect): string[] {
    return this.rows.flatMap((row) => (row[1].read === undefined ? [] : namesOf(row, dialect)));
  }

  /**
   * What a request changes.
   *
   * @throws Refusal 422 for a value that an attribute may not have
   */
  readChange(sent: ReadonlyMap<string, unknown>, dialect: ProvisioningDialect): Partial<Values> {
    return this.read(sent, dialect, () => false);
  }

  /**
   * What a request creates.
   *
   * @throws Refusal 422 also for an attribute that must be sent and is not
   */
  readNew(sent: ReadonlyMap<string, unknown>, dialect: ProvisioningDialect): Values {
    const given = this.read(sent, dialect, ({ initial }) => initial === undefined);
    return { ...this.initial(), ...given };
  }

  /** As the interface shows them. */
  show(values: Values, dialect: ProvisioningDialect): Record<string, unknown> {
    return Object.fromEntries(
      this.rows.flatMap((row) => {
        const [member, { show }] = row;
        const value: unknown = show === undefined ? values[member] : show(values[member], dialect);
        return namesOf(row, dialect).map((name) => [name, value]);
      }),
    );
  }

  private read(
    sent: ReadonlyMap<string, unknown>,
    dialect: ProvisioningDialect,
    isRequired: (row: Attribute<Values[keyof Values]>) => boolean,
  ): Partial<Values> {
    const values = this.rows.flatMap((row) => {
      const [member, attribute] = row;
      const { read } = attribute;
      const names = namesOf(row, dialect).filter((name) => sent.has(name) || isRequired(attribute));
      return read === undefined
        ? []
        : names.map((name) => [member, read(sent.get(name), refusing(name), dialect)]);
    });
    return Object.fromEntries(values) as Partial<Values>;
  }
}

/** Messages of the service begin with the name of the attribute. */
export function refusing(name: string): Refuse {
  const subject = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return (problem) => invalid(`/data/attributes/${name}`, `${subject} ${problem}`);
}

function namesOf<Values>([member, { names }]: Row<Values>, dialect: ProvisioningDialect): readonly string[] {
  return names?.(dialect) ?? [member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)];
}
