import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../base/json";
import type { ServiceName } from "../base/settings";

type Environment = Readonly<Record<string, string | undefined>>;

/** A token and its source, for messages. */
interface StoredToken {
  readonly value: string;
  readonly source: string;
}

/**
 * The token that the tool of a product has left on this machine, or that its variables name for a host. Each
 * belongs to one address and is used for no other.
 */
export function productToken(
  service: ServiceName,
  address: string | undefined,
  environment: Environment,
): StoredToken | undefined {
  const url = urlOf(address);
  switch (url === undefined ? undefined : service) {
    case "provisioning":
      // Terraform itself speaks HTTPS only.
      return url?.protocol === "https:" ? ofTerraform(url.host, environment) : undefined;
    case "secrets":
      return url?.href === urlOf(environment.VAULT_ADDR)?.href ? ofVault(environment) : undefined;
    default:
      return undefined;
  }
}

/** What `vault login` and `bao login` leave in the home directory. */
function ofVault(environment: Environment): StoredToken | undefined {
  const file = inHome(environment, ".vault-token");
  const value = textOf(file)?.trim() ?? "";
  return value === "" ? undefined : { value, source: `the file ${file}` };
}

/** What Terraform itself would send to a host: from a variable, else from its configuration files. */
function ofTerraform(host: string, environment: Environment): StoredToken | undefined {
  for (const [variable, value = ""] of Object.entries(environment)) {
    const encoded = /^TF_TOKEN_(.+)$/.exec(variable)?.[1];
    if (encoded !== undefined && value !== "" && hostOf(decodedHost(encoded)) === host) {
      return { value, source: `the environment variable ${variable}` };
    }
  }
  const { TF_CLI_CONFIG_FILE: chosen = "", APPDATA: data } = environment;
  const files =
    chosen !== ""
      ? [chosen]
      : data === undefined
        ? [inHome(environment, ".terraform.d", "credentials.tfrc.json"), inHome(environment, ".terraformrc")]
        : [join(data, "terraform.d", "credentials.tfrc.json"), join(data, "terraform.rc")];
  for (const file of files) {
    const value = tokensIn(textOf(file) ?? "").find(([name]) => hostOf(name) === host)?.[1] ?? "";
    if (value !== "") {
      return { value, source: `the file ${file}` };
    }
  }
  return undefined;
}

/** The names of variables cannot have dots and hyphens. */
function decodedHost(encoded: string): string {
  return encoded.replaceAll("__", "-").replaceAll("_", ".");
}

/** The tokens in a configuration file of Terraform by their hosts, in its language or in JSON. */
function tokensIn(text: string): (readonly [string, string])[] {
  try {
    const { credentials }: { credentials?: unknown } = JSON.parse(text) as object;
    return Object.entries(isObject(credentials) ? credentials : {}).flatMap(([host, entry]) =>
      isObject(entry) && typeof entry.token === "string" ? [[host, entry.token] as const] : [],
    );
  } catch {
    const code = text.replace(/^\s*(?:#|\/\/).*$/gm, "");
    return [...code.matchAll(/\bcredentials\s+"([^"]+)"\s*\{[^{}]*?\btoken\s*=\s*"([^"]*)"/g)].map(
      ([, host = "", token = ""]) => [host, token] as const,
    );
  }
}

/** A host as addresses have it: in lower case, international names in their ASCII form. */
function hostOf(name: string): string | undefined {
  return urlOf(`https://${name}`)?.host;
}

function urlOf(address = ""): URL | undefined {
  return URL.canParse(address) ? new URL(address.replace(/\/+$/, "")) : undefined;
}

function inHome({ HOME, USERPROFILE = "" }: Environment, ...names: readonly string[]): string {
  return join(HOME ?? USERPROFILE, ...names);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
