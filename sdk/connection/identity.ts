import { ConfigurationError } from "../base/errors";
import { type ResolvedSettings, withoutSlashes } from "./resolve";
import { configurationCommand, configurationKey, environmentVariable, movedFromKey } from "../base/settings";

/** Origin, base path, namespace and dialect in one string. Versions up to 0.1.0 stored it. */
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

/**
 * The short form of {@link identityOf}, which state stores, so its form must not change.
 * It omits `https://` or `http:`, and the base path. The last letter is that of the dialect.
 */
export function storedIdentityOf(settings: ResolvedSettings): string {
  const { address, basePath } = settings;
  const rest = identityOf(settings).slice(address.length + basePath.length);
  return address.replace(/^(?:https:\/\/|http:)/, "") + rest.replace(/ dialect=hashicorp$/, " h");
}

/** Expands a stored identity, in its long or short form. It may start with `*`: see `managesAll`. */
function identityIn({ basePath }: ResolvedSettings, stored: string): string {
  const [, place = "", rest = ""] = /^\*?(\S*)(.*)$/s.exec(stored) ?? [];
  const isLong = /^https?:/.test(place);
  const origin = isLong ? place : `${place.startsWith("//") ? "http:" : "https://"}${place}${basePath}`;
  return sameSpelling(origin + rest.replace(/ h$/, " dialect=hashicorp"));
}

/** The identity without the dialect, the same for all connections to a service. */
export function serviceOf(settings: ResolvedSettings): string {
  return withoutDialect(identityOf(settings));
}

/** Slashes around a namespace do not matter. States of earlier versions have them. */
function sameSpelling(identity: string): string {
  return identity.replace(/ namespace=(\S*)/, (_, name: string) => {
    const namespace = withoutSlashes(name);
    return namespace === "" ? "" : ` namespace=${namespace}`;
  });
}

/** Whether an object was created at this service, at its current address or a former one. */
export function isSameService(settings: ResolvedSettings, madeAt: string): boolean {
  const place = identityIn(settings, madeAt);
  return (
    place === identityOf(settings) || settings.movedFrom.some((old) => isPlace(sameSpelling(old), place))
  );
}

/**
 * Refuses to touch an object of another service, where its id means something else.
 *
 * @param stored the identity of the service at creation; objects that were only read have none
 * @throws ConfigurationError
 */
export function assertSameService(settings: ResolvedSettings, stored: unknown): void {
  const here = identityOf(settings);
  if (typeof stored !== "string" || isSameService(settings, stored)) {
    return;
  }
  const madeAt = identityIn(settings, stored);
  const { dialect, service } = settings;
  const former = dialectIn(madeAt);
  if (former !== dialect && withoutDialect(madeAt) === withoutDialect(here)) {
    const key = configurationKey(service, "dialect");
    throw new ConfigurationError(
      `This object was created at ${withoutDialect(madeAt)} with the dialect "${former}", but the dialect of the ${service} service is ` +
        `now "${dialect}". No request was made.`,
      {
        advice:
          `Set the dialect back: run \`${configurationCommand(key)} ${former}\` (or set ` +
          `${environmentVariable(service, "dialect") ?? ""}=${former}). If "${former}" was wrong when the object was ` +
          `created, ${sayMoved(settings, madeAt)}. ` +
          "To find out which dialect the service speaks, run `npx pulumi-trivium doctor`.",
      },
    );
  }
  throw new ConfigurationError(
    `This object was created at ${madeAt}, but the ${settings.service} service is now configured as ${here}. ` +
      "No request was made.",
    {
      advice:
        "Restore the former address. If the service moved to a new address, " +
        `${sayMoved(settings, madeAt)} and run the command again. Run refresh and destroy with --run-program: ` +
        "without it they use the configuration stored in state.",
    },
  );
}

const dialectPart = / dialect=(\S+)/;

function dialectIn(identity: string): string {
  return dialectPart.exec(identity)?.[1] ?? "documented";
}

function withoutDialect(identity: string): string {
  return identity.replace(dialectPart, "");
}

/** For an address that a provider sets, only that provider can name former addresses. */
function sayMoved({ service, ownAddress }: ResolvedSettings, madeAt: string): string {
  return ownAddress
    ? `give the trivium.Provider \`${service}: { movedFrom: [${JSON.stringify(madeAt)}], ... }\``
    : `run \`${configurationCommand(movedFromKey(service))} "${madeAt}"\``;
}

/** The user may give a whole identity or only its address. */
function isPlace(named: string, madeAt: string): boolean {
  const [address = ""] = madeAt.split(" ", 1);
  const name = named.replace(/\/+$/, "");
  const isAddress = /^https?:\/\/[^/]/.test(name);
  return name === madeAt || (isAddress && `${address}/`.startsWith(`${name}/`));
}
