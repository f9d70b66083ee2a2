import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { pluginToken } from "../../sdk/resource/state/encoding";
import type { Exported } from "./library";

const exampleScopes: Readonly<Record<string, string>> = {
  organization: " acme",
  "admin-organization": " acme",
  workspace: " ws-4jYzgpqCuGAG3mCt",
  project: " prj-5aKcVVJ1yDLTPFoE",
  team: " team-6tRcKL9pqtMqk4Cn",
  directory: " ldap",
  scheduler: " scheduler",
};

export function importSection(
  exported: Exported,
  definition: AnyResourceDefinition,
  readable: boolean,
): string {
  const adopts = "adopt" in definition.arguments;
  const adoption = adopts
    ? "With `adopt: true`, the resource adopts an existing object instead of failing."
    : "";
  if (!readable) {
    const reason =
      "This class does not have `get` and cannot be imported, because the object cannot be read from the service. " +
      "Declare it as new in the program.";
    return ["## Import", reason, adoption].filter((part) => part !== "").join("\n\n");
  }
  const options = [definition.importedBy?.option ?? []].flat();
  const commands = [
    `npx pulumi-trivium import-file --resource ${exported.shortName}=ID`,
    ...options.map(
      (option) => `npx pulumi-trivium import-file --${option}${exampleScopes[option] ?? ""}   # all of them`,
    ),
    "pulumi import -f imports.json --out imported.ts",
  ];
  return [
    "## Import",
    ["```sh", ...commands, "```"].join("\n"),
    [
      "One object, with the provider plugin:",
      "",
      "```sh",
      `pulumi import ${pluginToken(definition.type)} NAME ID`,
      "```",
    ].join("\n"),
    [`\`ID\` is ${idOf(exported, definition)}.`, "See [Import](../../import.md) for all the steps.", adoption]
      .filter((part) => part !== "")
      .join(" "),
    `\`${exported.name}.get(name, id)\` reads an existing object without managing it.`,
  ].join("\n\n");
}

function idOf({ name }: Exported, { identity: { idIs } = {} }: AnyResourceDefinition): string {
  if (idIs === undefined) {
    throw new Error(`The definition of ${name} does not say what its id is.`);
  }
  return idIs;
}
