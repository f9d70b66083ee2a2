import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "../base/settings";
import { type Found, foundIn, type Sources } from "./sources";

type Environment = Sources["environment"];

/** The token of the product's own tools on this machine, for use only with the address that it belongs to. */
export function productToken(
  service: ServiceName,
  address: string | undefined,
  environment: Environment,
): Found | undefined {
  const url = urlOf(address);
  const home = environment.HOME ?? environment.USERPROFILE ?? "";
  // Terraform itself only speaks HTTPS.
  if (service === "provisioning" && url?.protocol === "https:") {
    return ofTerraform(environment, home).find(
      // URL parsing converts hosts to lower case and international names to ASCII.
      ({ host, value }) => value !== "" && urlOf(`https://${host}`)?.host === url.host,
    );
  }
  // Written by `vault login` and `bao login`.
  const file = join(home, ".vault-token");
  const isHere = service === "secrets" && url && url.href === urlOf(environment.VAULT_ADDR)?.href;
  return isHere ? foundIn(textOf(file).trim(), `the file ${file}`) : undefined;
}

/** Like Terraform: variables take precedence over its configuration files. */
function ofTerraform(environment: Environment, home: string): (Found & { readonly host: string })[] {
  const ofVariables = Object.entries(environment).map(([variable, value = ""]) => ({
    // Names of variables cannot contain dots and hyphens.
    host: /^TF_TOKEN_(.+)$/.exec(variable)?.[1]?.replaceAll("__", "-").replaceAll("_", ".") ?? "",
    value,
    source: `the environment variable ${variable}`,
  }));
  const { TF_CLI_CONFIG_FILE: chosen = "", APPDATA: data } = environment;
  const credentials = "terraform.d/credentials.tfrc.json";
  const defaults =
    data === undefined
      ? [join(home, `.${credentials}`), join(home, ".terraformrc")]
      : [join(data, credentials), join(data, "terraform.rc")];
  const ofFiles = (chosen === "" ? defaults : [chosen]).flatMap((file) =>
    [
      ...textOf(file)
        .replace(/^\s*(?:#|\/\/).*$/gm, "")
        .matchAll(hostWithToken),
    ].map(([, host = "", value = ""]) => ({ host, value, source: `the file ${file}` })),
  );
  return [...ofVariables, ...ofFiles];
}

/** HCL: `"app.terraform.io" { token = "..." }`. JSON: `"app.terraform.io": { "token": "..." }`. */
const hostWithToken = /"([^"]+)"\s*:?\s*\{[^{}]*?\btoken"?\s*[=:]\s*"([^"]*)"/g;

function urlOf(address = ""): URL | undefined {
  return URL.canParse(address) ? new URL(address.replace(/\/+$/, "")) : undefined;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
