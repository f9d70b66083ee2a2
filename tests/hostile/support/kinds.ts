/** The kinds of values that stand at each place of values: `permissions.canUpdate` is a boolean. */
export type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

/** Notes the kinds of everything in some values; the items of a list are one place. */
export function kindsOf(...values: readonly unknown[]): Kinds {
  const kinds = new Map<string, Set<string>>();
  values.forEach((value) => note(value, "", kinds));
  return kinds;
}

function note(value: unknown, at: string, kinds: Map<string, Set<string>>): void {
  const known = kinds.get(at) ?? new Set();
  kinds.set(at, known.add(kindOf(value)));
  for (const [key, item] of membersOf(value)) {
    note(item, placeOf(at, key), kinds);
  }
}

/**
 * What in a value is of another kind than what stood at its place in values that are right.
 *
 * @param mayBeNull whether nothing may stand at a place
 * @returns one text for each place
 */
export function strangersIn(
  value: unknown,
  kinds: Kinds,
  mayBeNull: (at: string) => boolean,
  at = "",
): string[] {
  const kind = kindOf(value);
  const known = kinds.get(at);
  // Where right answers have nothing, no list and no number is meant: what may be missing here is a text.
  const mayAppear = kind === "string" && known?.size === 1 && known.has("null");
  if (mayAppear || (kind === "null" && mayBeNull(at))) {
    return [];
  }
  if (known?.has(kind) !== true) {
    // A member that right answers do not have is fine where they have others of its kind.
    const siblings = known === undefined ? siblingKinds(kinds, at) : new Set<string>();
    if (!siblings.has(kind)) {
      return [`${at}: ${kind}, not ${[...(known ?? siblings)].join(" or ")}`];
    }
    return [];
  }
  return membersOf(value).flatMap(([key, item]) => strangersIn(item, kinds, mayBeNull, placeOf(at, key)));
}

function siblingKinds(kinds: Kinds, at: string): Set<string> {
  const parent = at.slice(0, Math.max(at.lastIndexOf("."), at.lastIndexOf("[]"), 0));
  const siblings = [...kinds].filter(([place]) => place.startsWith(parent) && isChild(place, parent));
  // The items of a list that was empty in right answers are texts: no list here holds anything else.
  return siblings.length === 0 && at.endsWith("[]")
    ? new Set(["string"])
    : new Set(siblings.flatMap(([, each]) => [...each]));
}

function isChild(place: string, parent: string): boolean {
  const rest = place.slice(parent.length);
  return rest !== "" && !rest.slice(1).includes(".") && (rest.startsWith(".") || rest === "[]");
}

function membersOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => [index, item]);
  }
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function placeOf(at: string, key: string | number): string {
  return typeof key === "number" ? `${at}[]` : at === "" ? key : `${at}.${key}`;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "null";
  }
  return Array.isArray(value) ? "array" : typeof value;
}
