/** What two runs of the same program never have in common, in the order in which it is looked for. */
const times =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| UTC)|\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g;
const seconds = /(?<![a-z\d-])\d{10,13}(?![a-z\d-])/gi;
// Pictures, ids, generated passwords and keys, ports, names on real servers.
const random =
  /[\w+/]{200,}={0,2}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?<![a-z\d])[a-z\d]{16,}(?![a-z\d])|(?<=(?:ldap|directory|scheduler|userpass)_)[\da-f]{8}|(?<=127\.0\.0\.1:)\d+|trivium-[\da-f]{8}/gi;

/**
 * Brings what a run has left into a form that is the same for every run of the same program: each random value becomes
 * a number, in the order of appearance. Two places that held the same value still do, so that an id in state has to
 * be that of the object in the service. The order of lists does not count.
 *
 * @param names the texts that only this run has, each with what stands for it in all runs
 */
export function canonical(value: unknown, names: Readonly<Record<string, string>>): unknown {
  const common = (text: string): string => {
    let result = text;
    for (const [own, shared] of Object.entries(names)) {
      result = result.replaceAll(own, shared);
    }
    return result.replace(times, "<time>").replace(seconds, "<seconds>");
  };
  const ordered = mapTexts(value, common, (list) =>
    [...list].sort((left, right) => compare(shape(left), shape(right))),
  );
  const numbers = new Map<string, string>();
  const numbered = (found: string): string => {
    const known = numbers.get(found) ?? `<random ${numbers.size + 1}>`;
    numbers.set(found, known);
    return known;
  };
  return mapTexts(ordered, (text) => text.replace(random, numbered));
}

/** What a value looks like when no random value is told from another. */
function shape(value: unknown): string {
  return JSON.stringify(mapTexts(value, (text) => text.replace(random, "<random>")));
}

function mapTexts(
  value: unknown,
  change: (text: string) => string,
  order: (list: readonly unknown[]) => readonly unknown[] = (list) => list,
): unknown {
  const walk = (part: unknown): unknown => {
    if (typeof part === "string") {
      return change(part);
    }
    if (typeof part === "number") {
      return part > 1e9 ? "<seconds>" : part;
    }
    if (Array.isArray(part)) {
      return order(part.map(walk));
    }
    if (typeof part === "object" && part !== null) {
      const entries = Object.entries(part).sort(([left], [right]) => compare(left, right));
      return Object.fromEntries(entries.map(([name, inner]) => [name, walk(inner)]));
    }
    return part;
  };
  return walk(value);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
