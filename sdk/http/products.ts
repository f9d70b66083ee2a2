import type { ServiceName } from "../base/settings";

/** What an answer tells of the product that gave it. */
interface Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

interface Trait {
  readonly product: string;
  /** Headers of every answer that nothing else sends. */
  readonly proves: (headers: Answered["headers"]) => boolean;
  /** Words of its refusals, which a service that speaks as documented may use too. */
  readonly words?: RegExp;
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
    words: /^(?:permission denied|missing client token|no handler for route .*)$/i,
  },
  scheduler: {
    product: "Nomad",
    proves: (headers) => Object.keys(headers).some((name) => name.startsWith("x-nomad-")),
    words: /^(?:permission denied|acl token not found|uuid must be 36 characters)$/i,
  },
};

/** A product that gave an answer. */
export interface ProductBehind {
  readonly name: string;
  /** Whether its headers prove it, or only its words look like it. */
  readonly certain: boolean;
}

/** Recognizes the product that answers in the place of a service; `undefined` for none that is known. */
export function productBehind(service: ServiceName, { headers, words }: Answered): ProductBehind | undefined {
  const { product, proves, words: typical } = traits[service];
  if (proves(headers)) {
    return { name: headers["tfp-appname"] ?? product, certain: true };
  }
  return typical !== undefined && words.some((text) => typical.test(text))
    ? { name: product, certain: false }
    : undefined;
}
