import { ConfigurationError } from "../base/errors";
import { type ResolvedSettings, withoutSlashes } from "./resolve";
import { configurationCommand, configurationKey, environmentVariable, movedFromKey } from "../base/settings";

/**
 * Which service an object was made at: origin, base path, namespace and dialect in one text. It lives in state, so
 * its form may not change.
 */
export function identityOf(settings: ResolvedSettings): string {
  const { address, basePath, namespace, dialect } = settings;
  const parts = [`${address}${basePath}`];
  if (namespace !== undefined) {
    parts.push(`namespace=${namespace}`);
  }
  if (dialect !== "documented") {
    parts.push(`dialect=${dialect}`);
  }
  return parts.join(" ");
}

/** The service alone, without how it is spoken to: the same for all connections that lead there. */
export function placeOf(settings: ResolvedSettings): string {
  return withoutDialect(identityOf(settings));
}

/** A namespace is the same with a slash before or after it, as states of former versions have it. */
function sameSpelling(identity: string): string {
  return identity.replace(/ namespace=(\S*)/, (_, name: string) => {
    const namespace = withoutSlashes(name);
    return namespace === "" ? "" : ` namespace=${namespace}`;
  });
}

/** Whether an object was made at this service, at its present address or a former one. */
export function wasMadeHere(settings: ResolvedSettings, madeAt: string): boolean {
  const place = sameSpelling(madeAt);
  return (
    place === identityOf(settings) || settings.movedFrom.some((old) => isPlace(sameSpelling(old), place))
  );
}

/**
 * Refuses to touch an object that was made at another service: its id means something else here, if anything.
 *
 * @param madeAt what {@link identityOf} said when the object was made; objects that were only got have none
 * @throws ConfigurationError naming both services and the way on when the service has merely moved
 */
export function assertMadeHere(settings: ResolvedSettings, madeAt: unknown): void {
  const here = identityOf(settings);
  if (typeof madeAt !== "string" || wasMadeHere(settings, madeAt)) {
    return;
  }
  const { dialect, service } = settings;
  const former = dialectIn(madeAt);
  if (former !== dialect && withoutDialect(sameSpelling(madeAt)) === withoutDialect(here)) {
    const key = configurationKey(service, "dialect");
    throw new ConfigurationError(
      `This object was made at ${withoutDialect(madeAt)} with the dialect "${former}", but the dialect of the ${service} service is ` +
        `now "${dialect}". No request was made.`,
      {
        hint:
          `Set the dialect back: run \`${configurationCommand(key)} ${former}\` (or set ` +
          `${environmentVariable(service, "dialect") ?? ""}=${former}). If "${former}" was wrong when the object was ` +
          `made, ${sayMoved(settings, madeAt)}; ` +
          "to find out what the service speaks, run `npx pulumi-trivium doctor`.",
      },
    );
  }
  throw new ConfigurationError(
    `This object was made at ${madeAt}, but the ${settings.service} service is now configured as ${here}. ` +
      "No request was made.",
    {
      hint:
        "Set the former address again; or, if it is the same service at a new address, " +
        `${sayMoved(settings, madeAt)} and repeat, refresh and destroy with --run-program: without it they use the ` +
        "configuration that state remembers.",
    },
  );
}

const dialectPart = / dialect=(\S+)/;

/** The dialect in an identity, which leaves out the usual one. */
function dialectIn(identity: string): string {
  return dialectPart.exec(identity)?.[1] ?? "documented";
}

function withoutDialect(identity: string): string {
  return identity.replace(dialectPart, "");
}

/** Whether an address that a provider gives is that of the same service, the provider alone may say. */
function sayMoved({ service, ownAddress }: ResolvedSettings, madeAt: string): string {
  return ownAddress
    ? `give the trivium.Provider \`${service}: { movedFrom: [${JSON.stringify(madeAt)}], ... }\``
    : `run \`${configurationCommand(movedFromKey(service))} "${madeAt}"\``;
}

/** A place can be named by its whole identity or by its address alone. */
function isPlace(named: string, madeAt: string): boolean {
  const [address = ""] = madeAt.split(" ", 1);
  const name = named.replace(/\/+$/, "");
  const isAddress = /^https?:\/\/[^/]/.test(name);
  return name === madeAt || (isAddress && `${address}/`.startsWith(`${name}/`));
}
