import type { dynamic } from "@pulumi/pulumi";
import { request } from "undici";

/** The minimum: only the necessary requests, without retries, validation, secrets or helpful errors. */
type Properties = Record<string, unknown>;

const { PROVISIONING_ADDR, PROVISIONING_TOKEN = "", SECRETS_ADDR, SECRETS_TOKEN = "" } = process.env;

async function send<Result>(
  method: "GET" | "POST" | "DELETE",
  url: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Result> {
  const response = await request(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await response.body.text();
  if (response.statusCode >= 300) {
    throw new Error(`${method} ${url} returned ${response.statusCode}: ${text}`);
  }
  return (text === "" ? undefined : JSON.parse(text)) as Result;
}

const methods = `${SECRETS_ADDR}/v1/identity/mfa/method/totp`;
const secretsHeaders = { "X-Vault-Token": SECRETS_TOKEN, "Content-Type": "application/json" };

const members = {
  issuer: "issuer",
  period: "period",
  keySize: "key_size",
  qrSize: "qr_size",
  algorithm: "algorithm",
  digits: "digits",
  skew: "skew",
  maxValidationAttempts: "max_validation_attempts",
};
const outputs = { ...members, type: "type", namespace: "namespace_id" };

async function readMethod(id: string): Promise<Properties> {
  const { data } = await send<{ data: Properties }>("GET", `${methods}/${id}`, secretsHeaders);
  return Object.fromEntries(Object.entries(outputs).map(([name, member]) => [name, data[member]]));
}

export const TotpMethod: dynamic.ResourceProvider<Properties, Properties> = {
  async create(inputs) {
    const body = Object.fromEntries(Object.entries(members).map(([name, member]) => [member, inputs[name]]));
    const created = await send<{ data: { method_id: string } }>("POST", methods, secretsHeaders, body);
    const id = created.data.method_id;
    return { id, outs: await readMethod(id) };
  },
  read: async (id) => ({ id, props: await readMethod(id) }),
  delete: (id) => send("DELETE", `${methods}/${id}`, secretsHeaders),
};

interface ProjectDocument {
  readonly id: string;
  readonly attributes: { readonly name: string; readonly permissions: Readonly<Record<string, boolean>> };
}

const provisioning = `${PROVISIONING_ADDR}/api/v2`;
const provisioningHeaders = {
  Authorization: `Bearer ${PROVISIONING_TOKEN}`,
  "Content-Type": "application/vnd.api+json",
};
const projectUrl = (id: string): string => `${provisioning}/projects/${id}`;
/** One list per organization costs less than a request for each project. */
const lists = new Map<string, Promise<ReadonlyMap<string, ProjectDocument>>>();

async function listProjects(organization: string): Promise<ReadonlyMap<string, ProjectDocument>> {
  const found = new Map<string, ProjectDocument>();
  for (let page: number | null = 1; page !== null;) {
    const url = `${provisioning}/organizations/${organization}/projects?page[size]=100&page[number]=${page}`;
    const list: {
      readonly data: readonly ProjectDocument[];
      readonly meta: { readonly pagination: { readonly "next-page": number | null } };
    } = await send("GET", url, provisioningHeaders);
    list.data.forEach((project) => found.set(project.id, project));
    page = list.meta.pagination["next-page"];
  }
  return found;
}

function projectState(organization: unknown, project: ProjectDocument): Properties {
  const { name, permissions } = project.attributes;
  return {
    organization,
    name,
    permissions: {
      canUpdate: permissions["can-update"],
      canDestroy: permissions["can-destroy"],
      canCreateWorkspace: permissions["can-create-workspace"],
    },
  };
}

export const Project: dynamic.ResourceProvider<Properties, Properties> = {
  async create({ organization, name }) {
    const url = `${provisioning}/organizations/${String(organization)}/projects`;
    const document = { data: { type: "projects", attributes: { name } } };
    const { data } = await send<{ data: ProjectDocument }>("POST", url, provisioningHeaders, document);
    // The response to a creation does not have all permissions.
    const read = await send<{ data: ProjectDocument }>("GET", projectUrl(data.id), provisioningHeaders);
    return { id: data.id, outs: projectState(organization, read.data) };
  },
  async read(id, props) {
    const organization = String(props?.organization);
    const listed = lists.get(organization) ?? listProjects(organization);
    lists.set(organization, listed);
    const project = (await listed).get(id);
    return project === undefined ? {} : { id, props: projectState(organization, project) };
  },
  delete: (id) => send("DELETE", projectUrl(id), provisioningHeaders),
};
