import { isObject, type JsonObject, type JsonValue, sameJson } from "../base/json";

export type Change = "ADD" | "DELETE" | "UPDATE";

/**
 * Lists differences as paths in the engine's notation. A map with a key that the notation cannot express is
 * reported as a whole.
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
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .map((name) => ({ name, from: member(before, name), to: member(after, name) }))
      .filter(({ from, to }) => !sameJson(from, to));
    return changed.some(({ name }) => name.endsWith("\\"))
      ? [[path, "UPDATE"]]
      : changed.flatMap(({ name, from, to }) => differences(`${path}${segment(name)}`, from, to));
  }
  return [[path, "UPDATE"]];
}

/** The engine only unescapes quotation marks, so a key that ends in a backslash cannot be written. */
function segment(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `["${name.replaceAll('"', '\\"')}"]`;
}

function member(map: JsonObject, name: string): JsonValue {
  return Object.hasOwn(map, name) ? (map[name] ?? null) : null;
}
