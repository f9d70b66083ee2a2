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
  settings,
  settingsOf,
  sharedDialect,
} from "../../sdk/base/settings";
import { commentOf } from "./comment";
import { defaultText, type Page, textFor } from "./fields";
import { constructorArguments, type Exported, type Library, prose } from "./library";
import { type Member, membersOf } from "./member";

export function configurationPageText(page: Page): string {
  return prose("configuration.md", {
    settings: (Object.keys(settings) as SettingName[])
      .map((name) => settingText(page, name, settings[name]))
      .join("\n\n"),
    overrides: serviceNames.map((service) => `\`${overrideVariable(service)}\``).join(", "),
    provider: providerText(page).join("\n\n"),
  });
}

/** A section for a setting, with a row for each service that has it. */
function settingText(page: Page, name: SettingName, { secret }: Setting): string {
  const services = serviceNames.filter((service) => settingsOf(service).some(([each]) => each === name));
  const members = services.map((service) => memberOf(connectionMembers(page, service), name));
  const [{ comment } = memberOf([], name)] = members;
  const types = [...new Set(members.map(({ type }) => `\`${type}\``))];
  const fallback = comment.tag("default");
  const rows: readonly (readonly string[])[] = [
    ...services.map((service) => [
      service,
      configurationKey(service, name),
      environmentVariable(service, name) ?? "",
      productVariables("hashicorp", service, name).join("`, `"),
    ]),
    ...(name === "dialect" ? [["all", sharedDialect.key, sharedDialect.variable, ""]] : []),
  ];
  const headings = ["service", "stack configuration", "environment", "product's variables (hashicorp)"];
  const used = headings.map((_, column) => column === 0 || rows.some((row) => row[column] !== ""));
  const line = (cells: readonly string[]): string =>
    `| ${cells.filter((_, column) => used[column]).join(" | ")} |`;
  return [
    `### \`${name}\``,
    [types.join(" or "), ...(secret === true ? ["**secret**"] : [])].join(" · "),
    textFor(page, comment.text),
    ...(fallback === undefined ? [] : [`Default: ${defaultText(page, fallback)}.`]),
    [
      line(headings),
      line(headings.map(() => "---")),
      ...rows.map(([service = "", ...cells]) =>
        line([service, ...cells.map((cell) => (cell === "" ? "" : `\`${cell}\``))]),
      ),
    ].join("\n"),
  ].join("\n\n");
}

function memberOf(members: readonly Member[], argument: string): Member {
  const member = members.find(({ name }) => name === argument);
  if (member === undefined) {
    throw new Error(`The provider's arguments lack ${argument}.`);
  }
  return member;
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

function connectionMembers(page: Page, service: ServiceName): readonly Member[] {
  const { checker } = page.library;
  const property = providerArguments(page).getProperty(service);
  if (property === undefined) {
    throw new Error(`The provider has no arguments for ${service}.`);
  }
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(property));
  return membersOf(checker, type, { nullable: false });
}

function providerText(page: Page): readonly string[] {
  const comment = commentOf(...providerOf(page.library).declarations);
  return [
    "## The provider",
    textFor(page, comment.text.replace("## Example Usage", "")),
    "The type of its arguments is `trivium.ProviderArgs`. The settings of each service have the types `trivium.ProvisioningConnectionArgs`, `trivium.SecretsConnectionArgs` and `trivium.SchedulerConnectionArgs`.",
  ];
}
