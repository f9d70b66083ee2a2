import {
  configurationKey,
  credentials,
  type Dialect,
  dialects,
  environmentVariable,
  isProduct,
  mustNotInherit,
  overrideVariable,
  ownAddressKey,
  productVariables,
  type ServiceName,
  type SettingName,
  settingsOf,
  sharedDialect,
} from "../base/settings";
import { productToken } from "./product-files";
import { type Found, foundIn, foundInVariable, oncePerService, type Sources } from "./sources";

export interface Credential extends Found {
  readonly kind: (typeof credentials)[number];
  /** The source of a token that is set together with a login. Only one of the two is allowed. */
  readonly conflicting?: string;
}

/** The settings of a service, as text, from all sources. */
export interface FoundSettings {
  readonly service: ServiceName;
  /** Whether a provider or a call sets the address. */
  readonly ownAddress: boolean;
  /** `undefined` for an invalid value. */
  readonly dialect: Dialect | undefined;
  /** Each from the source with the highest precedence. */
  readonly values: Readonly<Partial<Record<SettingName, Found>>>;
  /** From the source with the highest precedence that has a token, a token file or a login. */
  readonly credential: Credential | undefined;
}

export const settingsIn = oncePerService(lookUp);

function lookUp(sources: Sources, service: ServiceName): FoundSettings {
  const ownAddress = sources.configuration?.get(ownAddressKey(service)) === "true";
  const levelsOf = (name: SettingName, variables: readonly string[]) =>
    levels({ sources, service, ownAddress }, name, variables);
  // First, because it decides which variables are read.
  const ofDialect = levelsOf("dialect", []).find(Boolean);
  const dialect = dialects.find((each) => each === (ofDialect?.value ?? "documented"));
  const found = settingsOf(service).map(
    ([name]) => [name, levelsOf(name, productVariables(dialect ?? "documented", service, name))] as const,
  );
  const values: Partial<Record<SettingName, Found>> = Object.fromEntries(
    found.map(([name, all]) => [name, all.find(Boolean)]),
  );
  const override = ownAddress ? undefined : foundInVariable(sources, overrideVariable(service));
  const ofFile = (): Found | undefined =>
    dialect !== undefined && isProduct[dialect] && !ownAddress
      ? productToken(service, values.address?.value, sources.environment)
      : undefined;
  const credential = asToken(override) ?? mostSpecific(found) ?? asToken(ofFile());
  return { service, ownAddress, dialect, values, credential };
}

type Level = Found | undefined;

/** The source with the highest precedence first. */
function levels(
  { sources, service, ownAddress }: Pick<FoundSettings, "service" | "ownAddress"> & { sources: Sources },
  name: SettingName,
  ofProduct: readonly string[],
): readonly Level[] {
  const foundAt = (key: string): Level =>
    foundIn(
      sources.configuration?.get(key),
      sources.configuration?.describe?.(key) ??
        (ownAddress ? `the provider's settings (${key})` : `the configuration value ${key}`),
    );
  const configured = foundAt(configurationKey(service, name));
  if (mustNotInherit(name, (given) => given === "address" && ownAddress)) {
    return [configured];
  }
  const own = environmentVariable(service, name);
  const product = ofProduct.map((variable) => foundInVariable(sources, variable)).find(Boolean);
  return [
    configured,
    own === undefined ? undefined : foundInVariable(sources, own),
    ...(name === "dialect"
      ? [foundAt(sharedDialect.key), foundInVariable(sources, sharedDialect.variable)]
      : [name === "address" && product ? { ...product, value: asUrl(product.value) } : product]),
  ];
}

function asToken(found: Level): Credential | undefined {
  return found && { kind: "token", ...found };
}

function mostSpecific(found: readonly (readonly [SettingName, readonly Level[]])[]): Credential | undefined {
  const all = credentials.flatMap((kind) =>
    (found.find(([name]) => name === kind)?.[1] ?? []).flatMap((each, level) =>
      each === undefined ? [] : [{ level, credential: { kind, ...each } }],
    ),
  );
  const best = Math.min(...all.map(({ level }) => level));
  const [first, ...others] = all.filter(({ level }) => level === best).map(({ credential }) => credential);
  const login = others.find(({ kind }) => kind === "login");
  return first !== undefined && login !== undefined ? { ...login, conflicting: first.source } : first;
}

/** Some variables of products contain only a host name. HTTPS is then assumed. */
function asUrl(address: string): string {
  return /^\s*[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address.trim()}`;
}
