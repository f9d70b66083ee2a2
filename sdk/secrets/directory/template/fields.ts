import type { TemplateKind } from "./finding";
import type { ValueType } from "./value";

const always: readonly (readonly [string, ValueType])[] = [
  ["RoleName", "text"],
  ["DisplayName", "text"],
];

/** The fields that a template of each kind can use, and what they hold. */
export const templateFields: Readonly<Record<TemplateKind, ReadonlyMap<string, ValueType>>> = {
  username: new Map(always),
  ldif: new Map([
    ["Username", "text"],
    ["Password", "text"],
    ...always,
    ["IssueTime", "text"],
    ["ExpirationTime", "text"],
    ["IssueTimeSeconds", "seconds"],
    ["ExpirationTimeSeconds", "seconds"],
  ]),
};
