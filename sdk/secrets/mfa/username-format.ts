const placeholder = /^(?:alias|entity)\.(?:name|metadata\.[^{}]+)$/;

const allowed = "{{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";

/**
 * What is wrong with the placeholders of a push method's `usernameFormat`. The service takes any text, and logins
 * then fail.
 *
 * @returns a reason that follows the argument's name; `undefined` when all is well
 */
export function usernameFormatProblem(format: string): string | undefined {
  let rest = format;
  for (;;) {
    const begin = rest.indexOf("{{");
    const end = rest.indexOf("}}");
    if (begin === -1 && end === -1) {
      return undefined;
    }
    if (begin === -1 || (end !== -1 && end < begin)) {
      return `closes a placeholder that was never begun: ${JSON.stringify(rest.slice(0, end + 2))}`;
    }
    if (end === -1) {
      return `begins a placeholder that is never closed: ${JSON.stringify(rest.slice(begin))}`;
    }
    const name = rest.slice(begin + 2, end);
    if (!placeholder.test(name.trim())) {
      return `has the unknown placeholder {{${name}}}; there are ${allowed}`;
    }
    rest = rest.slice(end + 2);
  }
}

/** Doubts about a format without a problem: the documents write placeholders without spaces, and do not forbid them. */
export function usernameFormatDoubt(format: string): string | undefined {
  const spaced = /\{\{(?:\s[^{}]*|[^{}]*\s)\}\}/.test(format);
  return spaced ? `has spaces inside a placeholder; the documents write ${allowed}` : undefined;
}
