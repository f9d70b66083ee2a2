/** One member of a body, or the whole, and what stands there instead. */
export interface Mutation {
  /** Where it is, as messages name places: `data.attributes.name`, `data[0].id`; empty for the whole body. */
  readonly at: string;
  /** What stands there: `null`, `a number`, `nothing`. */
  readonly what: string;
  /** The body with it. */
  readonly apply: (body: string) => string;
}

const depth = 20_000;

/** What is put in the place of each member, as JSON. */
const replacements: Readonly<Record<string, string>> = {
  null: "null",
  "a number": "7",
  "a negative fraction": "-0.5",
  "a number beyond all": "1e999",
  "a huge number": "1e300",
  "a text": '"hostile"',
  "an empty text": '""',
  "half a character": '"a\\ud800"',
  "a long text": `"${"x".repeat(20_000)}"`,
  true: "true",
  "an empty list": "[]",
  "a list of numbers": "[7]",
  "a list of objects": '[{"hostile":[7]}]',
  "an empty object": "{}",
  "an object": '{"hostile":7}',
  "a deep list": "[".repeat(depth) + "]".repeat(depth),
  "a deep object": '{"a":'.repeat(depth) + "7" + "}".repeat(depth),
  "names of prototypes":
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":7,"hasOwnProperty":7}',
};

/** The members on the way to a place, by position: names such as ids differ from run to run. */
type Path = readonly { readonly name: string | number; readonly position: number }[];

/** Everything that can be wrong with one member of a body. Bodies of the same shape have the same mutations. */
export function mutationsOf(body: string): Mutation[] {
  return placesIn(JSON.parse(body), []).flatMap((path) => {
    const at = textOf(path);
    const replaced = Object.entries(replacements).map(([what, json]) => ({
      at,
      what,
      // What is too deep for JSON.stringify is put in as text.
      apply: (text: string) =>
        JSON.stringify(withValueAt(JSON.parse(text), path, marker)).replace(quotedMarker, () => json),
    }));
    const apply = (text: string): string => JSON.stringify(withValueAt(JSON.parse(text), path, undefined));
    return path.length === 0 ? replaced : [...replaced, { at, what: "nothing", apply }];
  });
}

const marker = "@@hostile@@";
const quotedMarker = JSON.stringify(marker);

function placesIn(value: unknown, path: Path): Path[] {
  const inner = membersOf(value).map(([name, item], position) => ({ step: { name, position }, item }));
  return [path, ...inner.flatMap(({ step, item }) => placesIn(item, [...path, step]))];
}

/** @param replacement `undefined` to leave it out */
function withValueAt(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) {
    return replacement;
  }
  const members = membersOf(value)
    .map(([name, item], position) => [
      name,
      position === step.position ? withValueAt(item, rest, replacement) : item,
    ])
    .filter(([, item]) => item !== undefined);
  return Array.isArray(value)
    ? members.map(([, item]) => item)
    : (Object.fromEntries(members) as Readonly<Record<string, unknown>>);
}

function membersOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => [index, item]);
  }
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function textOf(path: Path): string {
  return path.reduce<string>(
    (text, { name }) =>
      typeof name === "number" ? `${text}[${name}]` : text === "" ? name : `${text}.${name}`,
    "",
  );
}
