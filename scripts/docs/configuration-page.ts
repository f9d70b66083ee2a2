import type ts from "typescript";
import {
  configurationKey,
  environmentVariable,
  movedFromKey,
  overrideVariable,
  productVariables,
  serviceNames,
  type Setting,
  type SettingName,
  settingsOf,
  sharedDialect,
} from "../../sdk/base/settings";
import { commentOf } from "./comment";
import { defaultText, type Page, textFor } from "./fields";
import { prose } from "./library";
import { type Member, membersOf } from "./member";

export function configurationPageText(page: Page): string {
  const services = serviceNames.flatMap((service) => [
    `## ${service}`,
    `As arguments of a provider: \`trivium.${service.charAt(0).toUpperCase()}${service.slice(1)}ConnectionArgs\`.`,
    ...settingsOf(service).map(([name, setting]) => settingText(page, service, name, setting)),
    prose("configuration-service.md", {
      service,
      movedFrom: movedFromKey(service),
      override: overrideVariable(service),
    }),
  ]);
  return prose("configuration.md", {
    services: services.join("\n\n"),
    dialect: sharedDialectText(page),
    provider: providerText(page).join("\n\n"),
  });
}

function settingText(
  page: Page,
  service: (typeof serviceNames)[number],
  name: SettingName,
  setting: Setting,
): string {
  const member = connectionMembers(page, service).find((each) => each.name === name);
  if (member === undefined) {
    throw new Error(`The provider's arguments for ${service} lack ${name}.`);
  }
  const own = environmentVariable(service, name);
  const products = productVariables("hashicorp", service, name).map((variable) => `\`${variable}\``);
  const fallback = member.comment.tag("default");
  return [
    `### \`${configurationKey(service, name).replace("trivium:", "")}\``,
    [`\`${member.type}\``, ...(setting.secret === true ? ["**secret**"] : [])].join(" · "),
    textFor(page, member.comment.text),
    [
      ...(fallback === undefined ? [] : [`- Default: ${defaultText(page, fallback)}`]),
      `- Provider: \`${service}: { ${name} }\``,
      `- Stack configuration: \`${configurationKey(service, name)}\``,
      ...(own === undefined ? [] : [`- Environment: \`${own}\``]),
      ...(products.length === 0 ? [] : [`- Environment, hashicorp dialect: ${products.join(", ")}`]),
    ].join("\n"),
  ].join("\n\n");
}

function sharedDialectText(page: Page): string {
  const { checker } = page.library;
  const { type } = providerArguments(page);
  const member = membersOf(checker, type, { nullable: false }).find(({ name }) => name === "dialect");
  if (member === undefined) {
    throw new Error("The provider's arguments lack dialect.");
  }
  return [
    "### `dialect`",
    `\`${member.type}\``,
    textFor(page, member.comment.text),
    [
      `- Default: ${defaultText(page, member.comment.tag("default") ?? "")}`,
      "- Provider: `dialect`",
      `- Stack configuration: \`${sharedDialect.key}\``,
      `- Environment: \`${sharedDialect.variable}\``,
    ].join("\n"),
  ].join("\n\n");
}

function providerArguments(page: Page): { readonly type: ts.Type; readonly declaration: ts.Declaration } {
  const { checker, namespaces } = page.library;
  const provider = namespaces[0]?.classes.find(({ shortName }) => shortName === "Provider");
  const [declaration] = provider?.declarations ?? [];
  const args =
    provider && checker.getTypeOfSymbol(provider.symbol).getConstructSignatures()[0]?.parameters[1];
  if (declaration === undefined || args === undefined) {
    throw new Error("The library has no provider with arguments.");
  }
  return {
    type: checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(args, declaration)),
    declaration,
  };
}

function connectionMembers(page: Page, service: string): readonly Member[] {
  const { checker } = page.library;
  const { type, declaration } = providerArguments(page);
  const property = type.getProperty(service);
  if (property === undefined) {
    throw new Error(`The provider has no arguments for ${service}.`);
  }
  const settings = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(property, declaration));
  return membersOf(checker, settings, { nullable: false });
}

function providerText(page: Page): readonly string[] {
  const provider = page.library.namespaces[0]?.classes.find(({ shortName }) => shortName === "Provider");
  const comment = commentOf(...(provider?.declarations ?? []));
  return [
    "## `trivium.Provider`",
    textFor(page, comment.text.replace("## Example Usage", "")),
    "The type of its arguments is `trivium.ProviderArgs`.",
  ];
}
