import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigurationError, succeeds } from "../base/errors";
import { nameOfSetting, type SettingName } from "../base/settings";
import type { Pem, TransportSettings } from "./transport";

/** The PEM that the files contain now. */
export interface Certificates {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** @throws ConfigurationError if a file cannot be read */
export function readCertificates(settings: TransportSettings): Certificates {
  const { caCertificate, clientCertificate, clientKey } = settings;
  return { ca: textOf(caCertificate), cert: textOf(clientCertificate), key: textOf(clientKey) };
}

function textOf(pem: Pem | undefined): string | undefined {
  return typeof pem === "function" ? pem() : pem;
}

/** @throws ConfigurationError if a certificate or key is invalid */
export function tlsOptions(settings: TransportSettings, certificates: Certificates) {
  const { ca, cert, key } = certificates;
  const problems: readonly (readonly [SettingName, problem: string | undefined, advice?: string])[] = [
    ["caCertificate", problemOf(ca, "CA certificate")],
    [
      "clientKey",
      key === undefined && cert !== undefined
        ? "A client certificate is set without a client key"
        : undefined,
    ],
    [
      "clientCertificate",
      cert === undefined && key !== undefined
        ? "A client key is set without a client certificate"
        : undefined,
    ],
    ["clientCertificate", problemOf(cert, "client certificate")],
    [
      "clientKey",
      /\bENCRYPTED\b/.test(key ?? "")
        ? "The client key is encrypted with a passphrase, which cannot be used"
        : undefined,
      "Decrypt it, for example with `openssl pkey -in encrypted.pem -out key.pem`.",
    ],
    [
      "clientKey",
      key !== undefined && !succeeds(() => createSecureContext(certificates))
        ? "The client key is not the PEM key of the client certificate"
        : undefined,
    ],
  ];
  const [name, problem, advice = ""] = problems.find(([, found]) => found !== undefined) ?? [];
  if (name !== undefined) {
    throw new ConfigurationError(`${problem} for the ${settings.service} service.`, {
      advice: `${advice} Check ${nameOfSetting(settings, name)}.`.trim(),
    });
  }
  return {
    cert,
    key,
    servername: settings.serverName,
    // The products' own tools trust every certificate that is set, not only self-signed ones.
    trust: ca === undefined ? {} : { ca, allowPartialTrustChain: true },
    // Node.js treats an undefined `rejectUnauthorized` as false.
    ...(settings.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

const begin = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/** OpenSSL ignores everything after a damaged certificate. */
function problemOf(pem: string | undefined, what: string): string | undefined {
  if (pem === undefined) {
    return undefined;
  }
  const [, ...parts] = pem.split(begin);
  if (parts.length < 2) {
    return succeeds(() => new X509Certificate(pem)) ? undefined : `The ${what} is not a PEM certificate`;
  }
  const damaged = parts.findIndex(
    (part) => !succeeds(() => new X509Certificate(`-----BEGIN CERTIFICATE-----${part}`)),
  );
  return damaged < 0
    ? undefined
    : `Certificate ${damaged + 1} of the ${parts.length} in the ${what} is damaged`;
}
