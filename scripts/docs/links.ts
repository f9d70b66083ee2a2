import { posix } from "node:path";
import type { Namespace } from "./library";

/** Where something is described: a page below `docs/reference`, and a heading on it. */
export interface Place {
  readonly page: string;
  readonly anchor?: string;
}

/** The namespace whose classes are errors. */
export const errorsNamespace = "errors";

/** Where each class and function is described. */
export class Links {
  private readonly places = new Map<string, Place>();

  constructor(namespaces: readonly Namespace[]) {
    for (const namespace of namespaces) {
      for (const { name, shortName } of namespace.classes.filter((each) => each.shortName !== "Provider")) {
        this.places.set(
          name,
          namespace.name === errorsNamespace ? { page: errorPage(shortName) } : { page: resourcePage(name) },
        );
      }
      for (const { name, shortName } of namespace.functions) {
        this.places.set(name, {
          page: functionsPage(namespace.name),
          anchor: shortName.replace(/Output$/, "").toLowerCase(),
        });
      }
    }
  }

  /**
   * The text of a comment, with links instead of `{@link Name}`.
   *
   * @param namespace the namespace of the comment: its names come first
   */
  resolve(text: string, namespace: string, from: string): string {
    return text.replace(/\{@link\s+([\w.]+)\s*\}/g, (_all, written: string) => {
      const name = this.find(written, namespace);
      const place = name === undefined ? undefined : this.places.get(name);
      return place === undefined || place.page === from
        ? `\`${written}\``
        : `[\`${written}\`](${relativeLink(from, place)})`;
    });
  }

  private find(written: string, namespace: string): string | undefined {
    const here = `${namespace}.${written}`;
    return this.places.has(here)
      ? here
      : [...this.places.keys()].find((name) => name === written || name.endsWith(`.${written}`));
  }
}

/** The page of a resource: `secrets-mfa/totp-secret.md`. */
export function resourcePage(name: string): string {
  const dot = name.lastIndexOf(".");
  return `${folderOf(name.slice(0, dot))}/${kebabCase(name.slice(dot + 1))}.md`;
}

/** The page of a namespace's functions: `secrets-mfa/functions.md`. */
export function functionsPage(namespace: string): string {
  return `${folderOf(namespace)}/functions.md`;
}

/** The page of a class of errors: `errors/service-error.md`. */
export function errorPage(shortName: string): string {
  return `${errorsNamespace}/${kebabCase(shortName)}.md`;
}

/** A link between two pages below `docs/reference`. */
export function relativeLink(from: string, { page, anchor }: Place): string {
  const path = page === from ? "" : posix.relative(posix.dirname(from), page);
  return anchor === undefined ? path : `${path}#${anchor}`;
}

function folderOf(namespace: string): string {
  return namespace.replaceAll(".", "-");
}

function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}
