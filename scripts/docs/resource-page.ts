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
    `Their type is \`trivium.${exported.name}Args\`.`,
    ...args.map((member) => argumentText(page, member, argumentDefinition(definition, member.name))),
    "## Outputs",
    "Every argument is also an output, with the value that the service has. So are `id` and `urn`." +
      (outputs.length === 0 ? "" : " The other outputs:"),
    outputs.length === 0
      ? ""
      : fieldList(
          page,
          outputs.map((output) => withSecret(output, definition)),
          false,
        ),
    "## Behaviour",
    behaviour(definition),
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

/** The hashicorp dialect has all fields. */
function argumentDefinition(definition: AnyResourceDefinition, name: string): ArgumentDefinition {
  return { ...definitionIn(definition, "hashicorp").arguments[name], ...definition.arguments[name] };
}

function argumentText(
  page: Page,
  member: Member,
  { only, replaces, secret, told }: ArgumentDefinition,
): string {
  const marks = [
    typeOn(page, member),
    member.optional ? "optional" : "**required**",
    ...(only === undefined ? [] : [`**${only} dialect**`]),
    ...(replaces === true ? ["**replaces**"] : []),
    ...(secret === true ? ["**secret**"] : []),
    ...(told === "never" ? ["never read back"] : []),
  ];
  const fallback = member.comment.tag("default");
  const deprecated = member.comment.tag("deprecated");
  return [
    `### \`${member.name}\``,
    marks.join(" · "),
    textFor(page, member.comment.text),
    ...(fallback === undefined ? [] : [`Default: ${defaultText(page, fallback)}.`]),
    ...(deprecated === undefined ? [] : [`Deprecated: ${textFor(page, deprecated)}`]),
  ].join("\n\n");
}

function withSecret(output: Member, definition: AnyResourceDefinition): Member {
  const isSecret = definition.outputs[output.name]?.secret === true && !/secret/i.test(output.comment.text);
  return isSecret
    ? { ...output, comment: { ...output.comment, text: `${output.comment.text} Secret.` } }
    : output;
}

function behaviour(definition: AnyResourceDefinition): string {
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
      ? "An update reads the object first: it keeps what the program does not give, and never creates a deleted object again."
      : undefined,
    definition.ending === undefined
      ? undefined
      : "It expires. The first `pulumi up` after that replaces it, even if the program has not changed. What the service says of its end counts: `pulumi up` asks where it can, a preview makes no request.",
    secrets === "" ? undefined : `These are encrypted in state and shown as \`[secret]\`: ${secrets}.`,
    writeOnly === undefined
      ? undefined
      : `The service never returns ${writeOnly}: a refresh cannot detect a change there.`,
    localOnly === undefined
      ? undefined
      : `These only change what the library does, so a change sends no request: ${localOnly}.`,
    creation === undefined ? undefined : `These are only used at creation: ${creation}.`,
    `Its type token, as imports, mocks and policies see it, is \`${typeToken(definition.type)}\`, and with the ` +
      `[provider plugin](../../plugin.md) \`${pluginToken(definition.type)}\`.`,
    "For all classes: [how arguments behave](../index.md#how-arguments-behave), [errors](../errors.md), [configuration](../configuration.md).",
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
