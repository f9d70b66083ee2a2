import type { TemplateKind } from "./finding";

const always = ["RoleName", "DisplayName"];

/** The fields that a template of each kind can use. */
export const templateFields: Readonly<Record<TemplateKind, readonly string[]>> = {
  username: always,
  ldif: [
    "Username",
    "Password",
    ...always,
    "IssueTime",
    "ExpirationTime",
    "IssueTimeSeconds",
    "ExpirationTimeSeconds",
  ],
};
