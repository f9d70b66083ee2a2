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
} from "../../sdk/base/settings";
import { commentOf } from "./comment";
import { defaultText, type Page, textFor } from "./fields";
import { type Member, membersOf } from "./member";

/** The page about the settings of connections. */
export function configurationPageText(page: Page): string {
  return [
    "# Configuration",
    "A setting is looked for in three places, and the first that has it counts: a `trivium.Provider` that the resource or function is given, the stack's configuration, the environment. In the hashicorp dialect the products' own variables are read last.",
    "Where a provider or a call gives a service's address, everything that decides whom that service trusts comes from there alone: token, headers, certificates, server name, `insecureSkipVerify` and `movedFrom`. Time limits, retries, concurrency, namespace and dialect are inherited all the same.",
    "A setting can be put into the configuration with `pulumi config set`, a secret one with `pulumi config set --secret`. Keys that hold the word secret, such as `trivium:secretsAddress`, want `--plaintext` where their values are none.",
    ...serviceNames.flatMap((service) => [
      `## ${service}`,
      `As arguments of a provider: \`trivium.${service.charAt(0).toUpperCase()}${service.slice(1)}ConnectionArgs\`.`,
      ...settingsOf(service).map(([name, setting]) => settingText(page, service, name, setting)),
      `### \`${service}MovedFrom\``,
      `Stack configuration \`${movedFromKey(service)}\`, with commas between several; \`${service}: { movedFrom }\` of a provider, which alone counts beside an address that the provider gives. The former addresses of the service, or its former dialect: objects that were made there are then managed here. Without it, what was made at one address is never touched at another.`,
      `### \`${overrideVariable(service)}\``,
      `Environment only, **secret**. The token that beats every other source, except for an address that a provider or a call gives. It is for a run of \`pulumi refresh\` or \`pulumi destroy\` whose configuration in state holds a token that is no longer valid.`,
    ]),
    "## All services",
    "### `TRIVIUM_ASSUME_GONE`",
    "Environment only. Ids, with commas between them, of objects which are to count as gone for one run although the service does not prove it.",
    "### `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`",
    "Environment only. The proxies for services at plain and at encrypted addresses, and the hosts that are reached without.",
    ...providerText(page),
  ].join("\n\n");
}

function settingText(
  page: Page,
  service: (typeof serviceNames)[number],
  name: SettingName,
  setting: Setting,
): string {
  const member = connectionMembers(page, service).find((each) => each.name === setting.argument);
  if (member === undefined) {
    throw new Error(`The provider's arguments for ${service} lack ${setting.argument}.`);
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
      `- Provider: \`${service}: { ${setting.argument} }\``,
      `- Stack configuration: \`${configurationKey(service, name)}\``,
      ...(own === undefined ? [] : [`- Environment: \`${own}\``]),
      ...(products.length === 0 ? [] : [`- Environment, hashicorp dialect: ${products.join(", ")}`]),
    ].join("\n"),
  ].join("\n\n");
}

function connectionMembers(page: Page, service: string): readonly Member[] {
  const { checker, namespaces } = page.library;
  const provider = namespaces[0]?.classes.find(({ shortName }) => shortName === "Provider");
  const [declaration] = provider?.declarations ?? [];
  const args =
    provider && checker.getTypeOfSymbol(provider.symbol).getConstructSignatures()[0]?.parameters[1];
  if (declaration === undefined || args === undefined) {
    throw new Error("The library has no provider with arguments.");
  }
  const type = checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(args, declaration));
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
