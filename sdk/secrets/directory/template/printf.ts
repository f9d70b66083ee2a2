const directive = /%(?:[-+# 0]*(?:[1-9]\d*)?(?:\.\d*)?([A-Za-z])|%)/g;

/**
 * Whether a format of `printf` asks for as many values as it gets. Nothing fails if it does not, but the text then
 * says `%!s(MISSING)` or `%!(EXTRA ...)`.
 *
 * @returns what to say; `undefined` when the numbers are equal, or when the format numbers its values itself
 */
export function formatProblem(format: string, given: number): string | undefined {
  if (/%[^A-Za-z%]*[[*]/.test(format)) {
    return undefined;
  }
  const asked = [...format.matchAll(directive)].filter(([, verb]) => verb !== undefined).length;
  return asked === given ? undefined : `The format asks for ${values(asked)}, but gets ${given}.`;
}

function values(count: number): string {
  return count === 1 ? "1 value" : `${count} values`;
}
