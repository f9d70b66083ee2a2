import { nearestName } from "../../../base/nearest";
import { templateFunctions } from "../../../go-template/functions";
import { quoted } from "../../../go-template/quoted";
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
/** Says why a template has no function of this name; `undefined` when it has. */
export function unknownFunction(name: string, kind: TemplateKind): string | undefined {
  const origin = templateFunctions.get(name);
  if (origin !== undefined) {
    return origin === "ldif" && kind !== "ldif"
      ? `\`${name}\` can only be used in LDIF templates.`
      : undefined;
  }
  // A field without its dot looks like a function, and fields begin with a capital letter.
  const field = /^[A-Z]/.test(name) ? nearestName(name, templateFields[kind]) : undefined;
  if (field !== undefined) {
    return `${quoted(name)} is not a function; did you mean the field \`.${field}\`?`;
  }
  const known = [...templateFunctions].filter(([, part]) => part !== "ldif" || kind === "ldif");
  const near = nearestName(
    name,
    known.map(([candidate]) => candidate),
  );
  const hint = near === undefined ? "." : `; did you mean \`${near}\`?`;
  return `${quoted(name)} is not a function of these templates${hint}`;
}

/** Says why a template has no field of this name; `undefined` when it has. */
export function unknownField(name: string, kind: TemplateKind): string | undefined {
  const fields = templateFields[kind];
  if (fields.includes(name)) {
    return undefined;
  }
  const known = fields.map((field) => `\`.${field}\``);
  if (templateFields.ldif.includes(name)) {
    return `\`.${name}\` is not available in a user name template, only ${known.join(" and ")}.`;
  }
  const near = nearestName(name, fields);
  const hint = near === undefined ? `the fields are ${known.join(", ")}.` : `did you mean \`.${near}\`?`;
  const what = kind === "ldif" ? "an LDIF template" : "a user name template";
  return `${quoted(`.${name}`)} is not a field of ${what}; ${hint}`;
}
