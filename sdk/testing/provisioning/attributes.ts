import { problemsOf, type Schema } from "../schemas";
import { type Member, MemberTable } from "../members";
import { invalid, type Refusal } from "./json-api";

/** Creates a refusal from a problem such as `can't be blank`. */
export type Refuse = (problem: string) => Refusal;

/**
 * If a request contains several of the names, the last one wins. Without an initial value, a creation must have it.
 */
export interface Attribute<Value> extends Member<Value> {
  /** Reads a request's value, which is `undefined` if it was not sent. */
  readonly read?: (value: unknown, refuse: Refuse) => Value;
}

export function settable<Value>(is: Schema<Value>, initial: Value) {
  return {
    initial,
    read(value: unknown, refuse: Refuse): Value {
      const [problem] = problemsOf(is, value, "");
      if (problem !== undefined) {
        throw refuse(problem.trim());
      }
      return value as Value;
    },
  };
}

export class AttributeTable<Values extends object> extends MemberTable<Values, Attribute<unknown>> {
  constructor(attributes: { readonly [Name in keyof Values]: Attribute<Values[Name]> }) {
    super(attributes, "-");
  }

  /** @throws Refusal 422 for an invalid value */
  readChange(sent: ReadonlyMap<string, unknown>): Partial<Values> {
    return this.read(sent, () => false);
  }

  /** @throws Refusal 422 also for a missing required attribute */
  readNew(sent: ReadonlyMap<string, unknown>): Values {
    return this.with(this.read(sent, ({ initial }) => initial === undefined));
  }

  private read(
    sent: ReadonlyMap<string, unknown>,
    isRequired: (attribute: Attribute<unknown>) => boolean,
  ): Partial<Values> {
    const values = this.rows.flatMap(({ key, member, names }) =>
      names
        .filter((name) => member.read && (sent.has(name) || isRequired(member)))
        .map((name) => [key, member.read?.(sent.get(name), refusing(name))]),
    );
    return Object.fromEntries(values) as Partial<Values>;
  }
}

/** The service's messages begin with the attribute's name. */
export function refusing(name: string): Refuse {
  const subject = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  return (problem) => invalid(`/data/attributes/${name}`, `${subject} ${problem}`);
}
