/** One member of an object. Each service adds how requests set it, as `read`. */
export interface Member<Value> {
  /** Names on the wire. Default: the member's name in the service's convention. */
  readonly names?: readonly string[];
  /** The value of a member that was never sent. */
  readonly initial?: Value | undefined;
  /** The value in responses; `undefined` omits it. */
  readonly returned?: (value: Value) => unknown;
  readonly read?: unknown;
}

/** All members of an object. */
export class MemberTable<Item extends object, Kind extends Member<unknown>> {
  /** The members that requests can set, as on the wire. */
  readonly names: readonly string[];
  protected readonly rows: readonly {
    readonly key: keyof Item & string;
    readonly names: readonly string[];
    readonly member: Kind;
  }[];

  /** @param separator of words on the wire */
  constructor(members: object, separator: "-" | "_") {
    this.rows = (Object.entries(members) as [keyof Item & string, Kind][]).map(([key, member]) => {
      const name = key.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase());
      return { key, names: member.names ?? [name], member };
    });
    this.names = this.rows.flatMap(({ names, member }) => (member.read === undefined ? [] : names));
  }

  /** The given values, and the initial values of all other members that have one. */
  with<Given extends Partial<Item>>(given: Given): Item & Given {
    const initial = this.rows.flatMap(({ key, member }) =>
      member.initial === undefined ? [] : [[key, member.initial] as const],
    );
    const present = Object.entries(given).filter(([, value]) => value !== undefined);
    return Object.fromEntries([...initial, ...present]) as Item & Given;
  }

  returned(item: { readonly [Key in keyof Item]: Item[Key] | undefined }): Record<string, unknown> {
    return Object.fromEntries(
      this.rows.flatMap(({ key, names, member: { returned = (value: unknown) => value } }) => {
        const value = returned(item[key]);
        return value === undefined ? [] : names.map((name) => [name, value]);
      }),
    );
  }
}
