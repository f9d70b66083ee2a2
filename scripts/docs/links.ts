import { posix } from "node:path";
import type { Namespace } from "./library";

export interface Place {
  readonly page: string;
  readonly anchor?: string;
}

export const errorsNamespace = "errors";

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

  /** @param namespace of the comment: its names come first */
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

export function resourcePage(name: string): string {
  const dot = name.lastIndexOf(".");
  return `${folderOf(name.slice(0, dot))}/${kebabCase(name.slice(dot + 1))}.md`;
}

export function functionsPage(namespace: string): string {
  return `${folderOf(namespace)}/functions.md`;
}

export function errorPage(shortName: string): string {
  return `${errorsNamespace}/${kebabCase(shortName)}.md`;
}

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
