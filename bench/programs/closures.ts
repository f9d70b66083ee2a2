import * as pulumi from "@pulumi/pulumi";
import { resourceClass, wanted } from "./arguments";

type Properties = Record<string, unknown>;

/**
 * Dynamic providers of the usual kind: the functions are serialized into every resource's state and make the requests
 * themselves. They make those of the library, but retry, check and keep secret nothing.
 */
async function send(
  service: "PROVISIONING" | "SECRETS",
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { [`${service}_ADDR`]: address = "", [`${service}_TOKEN`]: token = "" } = process.env;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(service === "SECRETS" ? { "X-Vault-Token": token } : { Authorization: `Bearer ${token}` }),
      "Content-Type": service === "SECRETS" ? "application/json" : "application/vnd.api+json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) {
    throw new Error(`${method} ${path} was answered with ${response.status}`);
  }
  return response.status === 204 ? undefined : response.json();
}

const totpMethodProvider: pulumi.dynamic.ResourceProvider<Properties, Properties> = {
  async create(inputs) {
    const methods = "/v1/identity/mfa/method/totp";
    const created = await send("SECRETS", "POST", methods, {
      issuer: inputs.issuer,
      period: inputs.period,
      key_size: inputs.keySize,
      qr_size: inputs.qrSize,
      algorithm: inputs.algorithm,
      digits: inputs.digits,
      skew: inputs.skew,
      max_validation_attempts: inputs.maxValidationAttempts,
    });
    const { method_id: id } = (created as { readonly data: { readonly method_id: string } }).data;
    const { data } = (await send("SECRETS", "GET", `${methods}/${id}`)) as { readonly data: object };
    return { id, outs: { ...inputs, ...data } };
  },
  async delete(id) {
    await send("SECRETS", "DELETE", `/v1/identity/mfa/method/totp/${id}`);
  },
};

const projectProvider: pulumi.dynamic.ResourceProvider<Properties, Properties> = {
  async create({ organization, name }) {
    const all = `/api/v2/organizations/${String(organization)}/projects`;
    const filter = `?filter%5Bnames%5D=${String(name)}`;
    const found = (await send("PROVISIONING", "GET", all + filter)) as { readonly data: readonly unknown[] };
    if (found.data.length > 0) {
      throw new Error(`the project ${String(name)} already exists`);
    }
    const created = await send("PROVISIONING", "POST", all, {
      data: { type: "projects", attributes: { name } },
    });
    const { data } = created as { readonly data: { readonly id: string; readonly attributes: object } };
    return { id: data.id, outs: { organization, name, ...data.attributes } };
  },
  async delete(id) {
    await send("PROVISIONING", "DELETE", `/api/v2/projects/${id}`);
  },
};

const provider = resourceClass === "Project" ? projectProvider : totpMethodProvider;

class Serialized extends pulumi.dynamic.Resource {
  constructor(name: string, args: object) {
    super(provider, name, { ...args });
  }
}

for (const [name, args] of wanted) {
  new Serialized(name, args);
}
