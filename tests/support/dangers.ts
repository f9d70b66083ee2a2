/** What a text would do to a terminal, a log or a CI runner beside being read; nothing for one that may be shown. */
export function dangersIn(text: string, longest = 20_000): string[] {
  const found: readonly [string, boolean][] = [
    ["characters that steer a terminal", /[\p{Cc}\p{Cs}]/u.test(text)],
    ["characters that reorder or hide", /[\p{Cf}\u2028\u2029]/u.test(text)],
    ["a command at its beginning", /^\s*::/.test(text)],
    ["a command somewhere", /##[\w.]*\[/.test(text)],
    [`${text.length} characters`, text.length > longest],
  ];
  return found.filter(([, is]) => is).map(([what]) => what);
}
