import { isObject } from "../base/json";
import { path } from "../base/path";
import { codeOf, describeResponse, type Probe, type Product } from "../connection/probe";
import type { HttpResponse } from "../http/transport";
import { organizations } from "./admin-organization";
import { jsonApiMediaType } from "./kind";
import { configurationsOf } from "./notification-configuration";
import { projectsOf } from "./project";
import { provisioningService } from "./service";

const one = { "page[size]": 1 };

export const provisioningProbe: Probe = {
  service: provisioningService,
  first: { path: path`/ping` },
  documented: { path: organizations, query: one },
  recognize: productOf,
  isServiceResponse,
  isAllowed: ({ status }) => status < 300,

  async lookUp(questions) {
    const response = questions.ofProduct
      ? await questions.get(path`/account/details`)
      : await questions.get(organizations, one);
    const { status, body } = response;
    if (status === 401) {
      return { refusal: response, reason: "The token is invalid, revoked or expired." };
    }
    // The service returns 404, not 401, for what a valid token may not see.
    if (status >= 400 && status !== 404) {
      return { state: "problem", message: describeResponse(response), code: codeOf(response) };
    }
    if (!questions.ofProduct) {
      const may = status === 404 ? "may not" : "may";
      const forWhom = status === 404 ? ", which AdminOrganization and ModuleConsumers require" : "";
      return { state: "ok", message: `valid, ${may} administer organizations${forWhom}` };
    }
    const { data } = isObject(body) ? body : {};
    const { attributes } = isObject(data) ? data : {};
    const { username, "is-service-account": isServiceAccount } = isObject(attributes) ? attributes : {};
    const message = typeof username === "string" ? `valid, belongs to ${username}` : "valid";
    return isServiceAccount === true
      ? {
          state: "note",
          message: `${message}, an organization or team token`,
          advice: "An organization token cannot manage notification configurations.",
        }
      : { state: "ok", message };
  },

  named: {
    organization: (name) => ({
      name,
      requests: [{ path: projectsOf(name), query: one }],
      advice: `Check the name, and whether the token has access to projects of ${name}.`,
    }),
    workspace: (id) => ({
      name: id,
      requests: [{ path: configurationsOf(id) }],
      advice: "Check the id (ws-...), and whether the token has admin access to the workspace.",
    }),
  },
};

function productOf({ headers }: HttpResponse): Product | undefined {
  const { "tfp-api-version": api, "x-tfe-version": version, "tfp-appname": name } = headers;
  return api === undefined && version === undefined
    ? undefined
    : { name: name ?? "HCP Terraform or Terraform Enterprise", version };
}

function isServiceResponse({ status, headers, body }: HttpResponse): boolean {
  const errors = isObject(body) && Array.isArray(body.errors) ? (body.errors as unknown[]) : [];
  return (
    status === 204 ||
    (headers["content-type"] ?? "").startsWith(jsonApiMediaType) ||
    errors.some((error) => isObject(error) && "status" in error)
  );
}
