/** The CLI shows it wherever it shows the resource. */
const longestName = 100;

/**
 * A name for a resource of a program, made from what an object is called: of letters of any script, numbers, `.`, `_`
 * and `-`.
 *
 * @param text what the object is called
 * @param otherwise the name where nothing of the text can be kept
 */
export function readableName(text: string, otherwise: string): string {
  const name = text
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-")
    .slice(0, longestName)
    .replace(/^[-.]+|[-.]+$/g, "");
  return name === "" ? otherwise : name;
}

/** What there is of a name in English letters, as the beginning of an identifier: `team-ldap` becomes `teamLdap`. */
export function inCamelCase(name: string): string {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "");
  const [first = "", ...rest] = letters.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return [lowerFirst(first), ...rest.map(upperFirst)].join("");
}

/** `bindpass` becomes `Bindpass`. */
export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `EntityAlias` becomes `entityAlias`. */
export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Gives names out, each once: the second `web` is `web-2`. */
export class UniqueNames {
  private readonly taken = new Set<string>();

  constructor(private readonly separator: string) {}

  take(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.taken.has(name); number++) {
      name = `${wanted}${this.separator}${number}`;
    }
    this.taken.add(name);
    return name;
  }
}
