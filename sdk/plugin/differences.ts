import { isObject, type JsonValue, sameJson } from "../base/json";

/** What became of a part of a value. */
export type Change = "ADD" | "DELETE" | "UPDATE";

/**
 * Finds the parts of a value that differ, by their paths as the engine writes them: `triggers[1]`, `headers.team`,
 * `headers["x.y"]`.
 */
export function differences(path: string, before: JsonValue, after: JsonValue): [string, Change][] {
  if (sameJson(before, after)) {
    return [];
  }
  if (before === null || after === null) {
    return [[path, before === null ? "ADD" : after === null ? "DELETE" : "UPDATE"]];
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const [left, right] = [before, after] as readonly JsonValue[][];
    const length = Math.max(left?.length ?? 0, right?.length ?? 0);
    return Array.from({ length }, (_, index) =>
      differences(`${path}[${index}]`, left?.[index] ?? null, right?.[index] ?? null),
    ).flat();
  }
  if (isObject(before) && isObject(after)) {
    const [left, right] = [before, after] as Readonly<Record<string, JsonValue>>[];
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      differences(`${path}${segment(name)}`, left?.[name] ?? null, right?.[name] ?? null),
    );
  }
  return [[path, "UPDATE"]];
}

function segment(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
