/**
 * Drops members named `__proto__`: copying one by assignment would change the prototype of the copy.
 *
 * @returns `undefined` for an empty text
 */
export function parseJson(text: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (json.trim() === "") {
    return undefined;
  }
  // The name can also be escaped. This check spares nearly all responses the slow path.
  const suspicious = json.includes("__proto__") || /\\u00(?:5f|6f|7[024])/i.test(json);
  return suspicious
    ? JSON.parse(json, (name, value: unknown) => (name === "__proto__" ? undefined : value))
    : JSON.parse(json);
}
