import type { ArgumentDefinition } from "../../sdk/resource/fields/field";
import { type AnyResourceDefinition, definitionIn, type ResourceClass } from "../../sdk/resource/definition";
import { pluginToken, typeToken } from "../../sdk/resource/state/encoding";
import { commentOf } from "./comment";
import { defaultText, fieldList, type Page, textFor, typeOn, typesSection } from "./fields";
import { importSection } from "./import-section";
import { constructorArguments, type Exported } from "./library";
import { type Member, membersOf } from "./member";
import { relatedText } from "./related";

const exampleHeading = "## Example Usage";

export function resourcePageText(page: Page, exported: Exported, { definition, get }: ResourceClass): string {
  const { checker } = page.library;
  const comment = commentOf(...exported.declarations);
  const [text = "", rest = ""] = comment.text.split(exampleHeading);
  const { example, after } = splitExample(rest);
  const args = argumentsOf(page, exported, definition);
  const outputs = membersOf(checker, checker.getDeclaredTypeOfSymbol(exported.symbol), {
    nullable: true,
  }).filter(({ name }) => name in definition.outputs);
  return [
    `# ${exported.name}`,
    textFor(page, text.trim()),
    textFor(page, after),
    "## Example",
    example,
    "## Arguments",
    `Type: \`trivium.${exported.name}Args\`.`,
    ...argumentSections(page, args, definition),
    "## Outputs",
    "All arguments are also outputs, with their current values in the service, and so are `id` and `urn`." +
      (outputs.length === 0 ? "" : " Additional outputs:"),
    outputs.length === 0
      ? ""
      : fieldList(
          page,
          outputs.map((output) => withSecret(output, definition)),
          false,
        ),
    "## Behavior",
    behavior(definition),
    importSection(exported, definition, get !== undefined),
    relatedText(page, exported.name),
    typesSection(page),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function argumentsOf(page: Page, exported: Exported, definition: AnyResourceDefinition): readonly Member[] {
  const type = constructorArguments(page.library, exported);
  const members = membersOf(page.library.checker, type, { nullable: false });
  const documented = members.map(({ name }) => name).toSorted();
  const defined = Object.keys(definition.arguments).toSorted();
  if (documented.join() !== defined.join()) {
    throw new Error(`${exported.name}: its type has ${documented.join()}, its definition ${defined.join()}.`);
  }
  return members.toSorted((one, other) => Number(one.optional) - Number(other.optional));
}

/**
 * The usual arguments come first, those of one dialect last. The heading has the dialect, and the release if it is the
 * same for all.
 */
function argumentSections(
  page: Page,
  args: readonly Member[],
  definition: AnyResourceDefinition,
): readonly string[] {
  const all = args.map((member) => ({ member, argument: argumentDefinition(definition, member.name) }));
  const special = all.filter(({ argument: { only } }) => only !== undefined);
  const usual = all.filter(({ argument: { only } }) => only === undefined);
  const isDeprecated = ({ member }: (typeof all)[number]) => member.comment.tag("deprecated") !== undefined;
  const releases = new Set(special.map(({ argument: { since } }) => since));
  const [release] = releases.size === 1 ? releases : [];
  const dialect = `## Arguments of the ${special[0]?.argument.only ?? ""} dialect${release === undefined ? "" : `: ${release}`}`;
  const sections = [
    ["", usual.filter((each) => !isDeprecated(each))],
    ["## Deprecated arguments", usual.filter(isDeprecated)],
    [dialect, special],
  ] as const;
  return sections
    .filter(([, members]) => members.length > 0)
    .flatMap(([heading, members]) => [
      heading,
      ...members.map(({ member, argument }) =>
        argumentText(page, member, release === undefined ? argument : { ...argument, since: undefined }),
      ),
    ]);
}

/** The hashicorp dialect has all fields. */
function argumentDefinition(definition: AnyResourceDefinition, name: string): ArgumentDefinition {
  return { ...definitionIn(definition, "hashicorp").arguments[name], ...definition.arguments[name] };
}

function argumentText(
  page: Page,
  member: Member,
  { replaces, secret, told, since }: ArgumentDefinition,
): string {
  const marks = [
    typeOn(page, member),
    member.optional ? "optional" : "**required**",
    ...(replaces === true ? ["**replaces**"] : []),
    ...(secret === true ? ["**secret**"] : []),
    ...(told === "never" ? ["never read back"] : []),
    ...(since === undefined ? [] : [since]),
  ];
  const fallback = member.comment.tag("default");
  const deprecated = member.comment.tag("deprecated");
  return [
    `### \`${member.name}\``,
    marks.join(" · "),
    textFor(page, withoutDialect(member.comment.text)),
    ...(fallback === undefined ? [] : [`Default: ${defaultText(page, fallback)}.`]),
    ...(deprecated === undefined ? [] : [`Deprecated: ${textFor(page, deprecated)}`]),
  ].join("\n\n");
}

/** The heading of the section has it. */
function withoutDialect(text: string): string {
  return text.replace(/\s*Only\s+in\s+the\s+\w+\s+dialect(?::\s[^]*?)?\.(?=\s|$)/, "").trim();
}

function withSecret(output: Member, definition: AnyResourceDefinition): Member {
  const isSecret = definition.outputs[output.name]?.secret === true && !/secret/i.test(output.comment.text);
  return isSecret
    ? { ...output, comment: { ...output.comment, text: `${output.comment.text} Secret.` } }
    : output;
}

function behavior(definition: AnyResourceDefinition): string {
  const args = Object.entries(definitionIn(definition, "hashicorp").arguments);
  const namesOf = (matches: (argument: ArgumentDefinition) => boolean): string | undefined => {
    const names = args.filter(([, argument]) => matches(argument)).map(([name]) => `\`${name}\``);
    return names.length === 0 ? undefined : names.join(", ");
  };
  const replaces = namesOf((argument) => argument.replaces === true);
  const secretOutputs = Object.entries(definition.outputs).filter(([, { secret }]) => secret === true);
  const secrets = [namesOf(({ secret }) => secret === true), ...secretOutputs.map(([name]) => `\`${name}\``)]
    .filter((part) => part !== undefined)
    .join(", ");
  const writeOnly = namesOf((argument) => argument.told === "never");
  const localOnly = namesOf(({ local, replaces: replacing }) => local === "state" && replacing !== true);
  const creation = namesOf(({ local }) => local === "creation");
  const lines = [
    replaces === undefined
      ? "No change replaces the object."
      : `A change of ${replaces} replaces the object. ` +
        (definition.deleteBeforeReplace
          ? "The old one is deleted first, because both cannot exist at the same time."
          : "The new one is created first, then the old one is deleted."),
    definition.updatesWholeObject === true
      ? "An update reads the object first, so it keeps the values that the program does not set and never recreates a deleted object."
      : undefined,
    definition.ending === undefined
      ? undefined
      : "The object expires. The first `pulumi up` after that replaces it, even if the program has not changed. The expiry time in the service takes precedence over the one in state: `pulumi up` reads it if possible; a preview does not send a request.",
    secrets === "" ? undefined : `Encrypted in state and shown as \`[secret]\`: ${secrets}.`,
    writeOnly === undefined
      ? undefined
      : `The service never returns ${writeOnly}, so a refresh cannot detect changes to it.`,
    localOnly === undefined
      ? undefined
      : `These arguments affect only the library's own behavior, so changing them sends no request: ${localOnly}.`,
    creation === undefined ? undefined : `Only used at creation: ${creation}.`,
    `Type token, for imports, mocks and policies: \`${typeToken(definition.type)}\`, or \`${pluginToken(definition.type)}\` ` +
      "with the [provider plugin](../../plugin.md).",
    "For all classes: [arguments, drift and adoption](../../arguments-and-drift.md), [errors](../errors.md), [settings](../configuration.md).",
  ];
  return lines
    .filter((line) => line !== undefined)
    .map((line) => `- ${line}`)
    .join("\n");
}

function splitExample(text: string): { readonly example: string; readonly after: string } {
  const [, example = "", after = ""] = /^\s*([^]*?\n```)\n?([^]*)$/.exec(text) ?? [];
  if (example === "") {
    throw new Error(`A resource has no example: ${text}`);
  }
  return { example, after: after.trim() };
}
