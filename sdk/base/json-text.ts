/**
 * Parses an answer's JSON. Members named `__proto__` are dropped, since copying one by assignment would change the
 * copy's prototype.
 *
 * @returns `undefined` for nothing but white space
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (json.trim() === "") {
    return undefined;
  }
  // The name can also be written with escapes. Looking first spares nearly all answers the slow way.
  const suspicious = json.includes("__proto__") || /\\u00(?:5f|6f|7[024])/i.test(json);
  return suspicious
    ? JSON.parse(json, (name, value: unknown) => (name === "__proto__" ? undefined : value))
    : JSON.parse(json);
}
