import { isObject } from "../../base/json";
import { type Adapter, packages } from "../../base/settings";
import { textOption, type OptionValues, UsageError } from "../command";
import { askPulumi } from "../pulumi-cli";

/** A resource of the stack that imported ones refer to. */
export interface NamedUrn {
  /** Its name in the file for `pulumi import`. */
  readonly name: string;
  readonly urn: string;
}

/** Where in the stack the imported resources belong. */
export interface Placement {
  readonly provider?: NamedUrn;
  readonly parent?: NamedUrn;
}

/**
 * Finds the provider and the parent that the options name.
 *
 * @param adapter the adapter of the stack's resources
 * @throws UsageError if an option is invalid, or names no resource or several
 */
export async function placementOf(
  options: OptionValues,
  adapter: Adapter,
  signal: AbortSignal,
): Promise<Placement> {
  const texts = { provider: textOption(options, "provider"), parent: textOption(options, "parent") };
  const needsStack = Object.values(texts).some((text) => text !== undefined && !isUrn(text));
  const urns = needsStack ? await urnsInStack(signal) : [];
  const find = (option: keyof typeof texts): Placement => {
    const text = texts[option];
    return text === undefined
      ? {}
      : { [option]: findUrn(option, text, urns, `pulumi:providers:${packages[adapter]}`) };
  };
  return { ...find("provider"), ...find("parent") };
}

/** `URN` or `NAME=URN`, as `pulumi import` takes them. */
const writtenUrn = /^(?:(?<name>[^=]+)=)?(?<urn>urn:pulumi:.+)$/s;

function isUrn(text: string): boolean {
  return writtenUrn.test(text);
}

function findUrn(
  option: "provider" | "parent",
  text: string,
  urns: readonly string[],
  providerType: string,
): NamedUrn {
  const { name, urn = only(option, text, urns, providerType) } = writtenUrn.exec(text)?.groups ?? {};
  const [, , type = "", last = ""] = /^urn:pulumi:(.+?)::(.+?)::(.+?)::(.+)$/s.exec(urn)?.slice(1) ?? [];
  if (last === "") {
    throw new UsageError(`--${option}: ${JSON.stringify(urn)} is not a URN.`);
  }
  const own = type.split("$").at(-1);
  if (option === "provider" && own !== providerType) {
    throw new UsageError(
      own?.startsWith("pulumi:providers:") === true
        ? `--provider: ${urn} is not a trivium.Provider; its type must be ${providerType}.`
        : `--provider: ${urn} is not a provider.`,
    );
  }
  // No resource that is imported can have such a name.
  return { name: name ?? `${option}:${last}`, urn };
}

function only(
  option: "provider" | "parent",
  name: string,
  urns: readonly string[],
  providerType: string,
): string {
  const named = urns.filter(
    (urn) => urn.endsWith(`::${name}`) && (option === "parent" || urn.includes(`${providerType}::`)),
  );
  const [urn] = named;
  if (urn === undefined) {
    throw new UsageError(
      `--${option}: the selected stack has no ${option === "provider" ? "trivium.Provider" : "resource"} ` +
        `${JSON.stringify(name)}. Run \`pulumi up\` first, or use its URN.`,
    );
  }
  if (named.length > 1) {
    throw new UsageError(`--${option}: several resources have this name; use the URN: ${named.join(", ")}.`);
  }
  return urn;
}

async function urnsInStack(signal: AbortSignal): Promise<readonly string[]> {
  const text = await askPulumi(["stack", "export"], signal, "The resources of the selected stack");
  const { deployment } = JSON.parse(text) as { readonly deployment?: unknown };
  const resources = isObject(deployment) && Array.isArray(deployment.resources) ? deployment.resources : [];
  return (resources as unknown[]).flatMap((each) =>
    isObject(each) && typeof each.urn === "string" && each.delete !== true ? [each.urn] : [],
  );
}
