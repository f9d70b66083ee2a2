import type { ServiceName } from "../base/settings";

interface Evidence {
  readonly headers: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
}

interface Trait {
  readonly product: string;
  /** Headers that only this product sends. */
  readonly proves: (headers: Evidence["headers"]) => boolean;
  /** Text in its errors. A service of the documented dialect may use it too. */
  readonly messages?: RegExp;
}

const traits: Readonly<Record<ServiceName, Trait>> = {
  provisioning: {
    product: "HCP Terraform or Terraform Enterprise",
    proves: (headers) => "tfp-api-version" in headers || "x-tfe-version" in headers,
  },
  secrets: {
    product: "Vault or OpenBao",
    proves: (headers) =>
      Object.keys(headers).some((name) => /^x-(?:vault|openbao)-/.test(name)) ||
      (headers["cache-control"] === "no-store" &&
        headers["strict-transport-security"] === "max-age=31536000; includeSubDomains"),
    messages: /^(?:permission denied|missing client token|no handler for route .*)$/i,
  },
  scheduler: {
    product: "Nomad",
    proves: (headers) => Object.keys(headers).some((name) => name.startsWith("x-nomad-")),
    messages: /^(?:permission denied|acl token not found|uuid must be 36 characters)$/i,
  },
};

export interface ProductBehind {
  readonly name: string;
  /** Whether the headers prove it. Otherwise the text only suggests it. */
  readonly certain: boolean;
}

export function productBehind(
  service: ServiceName,
  { headers, messages }: Evidence,
): ProductBehind | undefined {
  const { product, proves, messages: typical } = traits[service];
  if (proves(headers)) {
    return { name: headers["tfp-appname"] ?? product, certain: true };
  }
  return typical !== undefined && messages.some((text) => typical.test(text))
    ? { name: product, certain: false }
    : undefined;
}

export function productOf(service: ServiceName): string {
  return traits[service].product;
}
