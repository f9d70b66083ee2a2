/** Where two values differ, each place in one line, for people. */
export function difference(actual: unknown, expected: unknown): string {
  return linesOf(actual, expected, "").slice(0, longest).join("; ");
}

const longest = 12;

function linesOf(actual: unknown, expected: unknown, path: string): string[] {
  if (isRecord(actual) && isRecord(expected)) {
    const names = [...new Set([...Object.keys(actual), ...Object.keys(expected)])];
    return names.flatMap((name) => linesOf(actual[name], expected[name], `${path}.${name}`));
  }
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  return left === right ? [] : [`${path.slice(1)} is ${left}, not ${right}`];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
