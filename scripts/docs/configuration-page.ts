import type ts from "typescript";
import {
  configurationKey,
  environmentVariable,
  overrideVariable,
  productVariables,
  type ServiceName,
  serviceNames,
  type Setting,
  type SettingName,
  settingsOf,
  sharedDialect,
} from "../../sdk/base/settings";
import { commentOf } from "./comment";
import { defaultText, type Page, textFor } from "./fields";
import { constructorArguments, type Exported, type Library, productsOfService, prose } from "./library";
import { type Member, membersOf } from "./member";

export function configurationPageText(page: Page): string {
  const services = serviceNames.flatMap((service) => [
    `## ${service}`,
    `For ${productsOfService[service]}. As arguments of a provider: \`trivium.${service.charAt(0).toUpperCase()}${service.slice(1)}ConnectionArgs\`.`,
    ...settingsOf(service)
      .filter(([name]) => name !== "movedFrom")
      .map(([name, setting]) => settingText(page, service, name, setting)),
    prose("configuration-service.md", {
      service,
      movedFrom: configurationKey(service, "movedFrom"),
      override: overrideVariable(service),
    }),
  ]);
  return prose("configuration.md", {
    services: services.join("\n\n"),
    dialect: sharedDialectText(page),
    provider: providerText(page).join("\n\n"),
  });
}

function settingText(page: Page, service: ServiceName, name: SettingName, { secret }: Setting): string {
  const own = environmentVariable(service, name);
  const products = productVariables("hashicorp", service, name).map((variable) => `\`${variable}\``);
  const key = configurationKey(service, name);
  return argumentText(page, connectionMembers(page, service), name, [
    `### \`${key.replace("trivium:", "")}\`${secret === true ? " · **secret**" : ""}`,
    `Provider: \`${service}: { ${name} }\``,
    `Stack configuration: \`${key}\``,
    ...(own === undefined ? [] : [`Environment: \`${own}\``]),
    ...(products.length === 0 ? [] : [`Environment, hashicorp dialect: ${products.join(", ")}`]),
  ]);
}

function sharedDialectText(page: Page): string {
  const members = membersOf(page.library.checker, providerArguments(page), { nullable: false });
  return argumentText(page, members, "dialect", [
    "### `dialect`",
    "Provider: `dialect`",
    `Stack configuration: \`${sharedDialect.key}\``,
    `Environment: \`${sharedDialect.variable}\``,
  ]);
}

/** @param heading the name, then marks, which move to the line of the type */
function argumentText(
  page: Page,
  members: readonly Member[],
  argument: string,
  [heading = "", ...sources]: readonly string[],
): string {
  const member = members.find(({ name }) => name === argument);
  if (member === undefined) {
    throw new Error(`The provider's arguments lack ${argument}.`);
  }
  const [name, ...marks] = heading.split(" · ");
  const fallback = member.comment.tag("default");
  const lines = fallback === undefined ? sources : [`Default: ${defaultText(page, fallback)}`, ...sources];
  return [
    name,
    [`\`${member.type}\``, ...marks].join(" · "),
    textFor(page, member.comment.text),
    lines.map((line) => `- ${line}`).join("\n"),
  ].join("\n\n");
}

function providerOf({ namespaces }: Library): Exported {
  const provider = namespaces[0]?.classes.find(({ shortName }) => shortName === "Provider");
  if (provider === undefined) {
    throw new Error("The library has no provider.");
  }
  return provider;
}

function providerArguments({ library }: Page): ts.Type {
  return constructorArguments(library, providerOf(library));
}

function connectionMembers(page: Page, service: string): readonly Member[] {
  const { checker } = page.library;
  const property = providerArguments(page).getProperty(service);
  if (property === undefined) {
    throw new Error(`The provider has no arguments for ${service}.`);
  }
  const settings = checker.getNonNullableType(checker.getTypeOfSymbol(property));
  return membersOf(checker, settings, { nullable: false });
}

function providerText(page: Page): readonly string[] {
  const comment = commentOf(...providerOf(page.library).declarations);
  return [
    "## `trivium.Provider`",
    textFor(page, comment.text.replace("## Example Usage", "")),
    "The type of its arguments is `trivium.ProviderArgs`.",
  ];
}
