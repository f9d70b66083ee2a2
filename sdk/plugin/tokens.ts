import { readFileSync } from "node:fs";
import path from "node:path";
import { nearestName } from "../base/nearest";

export const root = path.join(__dirname, "..", "..");

export const schemaText = (): string => readFileSync(path.join(root, "plugin", "schema.json"), "utf8");

/** @param known the known tokens, without the package */
export function unknownToken(kind: string, token: string, known: readonly string[]): string {
  const [name = "", ...rooms] = token.split(":").toReversed();
  const near =
    known.find((each) => each.toLowerCase().endsWith(`:${name.toLowerCase()}`)) ??
    nearestName([...rooms.toReversed().slice(1), name].join(":"), known);
  const meant = near === undefined ? "." : `; did you mean trivium:${near}?`;
  return `The installed pulumi-trivium has no ${kind} ${token}${meant}`;
}

/** The tokens without the package; empty without the schema. */
export function functionTokens(): readonly string[] {
  try {
    const { functions } = JSON.parse(schemaText()) as { readonly functions: object };
    return Object.keys(functions).map((each) => each.replace("trivium:", ""));
  } catch {
    return [];
  }
}
