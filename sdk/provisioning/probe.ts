import { isObject } from "../base/json";
import { path } from "../base/path";
import type { Probe } from "../connection/probe";
import { organizations } from "./admin-organization";
import { jsonApiMediaType, saysAbsence } from "./kind";
import { provisioningService } from "./service";

const one = { "page[size]": 1 };

export const provisioningProbe: Probe = {
  service: provisioningService,
  naming: { path: path`/ping` },
  documented: (client) => client.ask({ path: organizations, query: one }),

  identify({ status, headers, body }) {
    const { "tfp-api-version": api, "x-tfe-version": version, "tfp-appname": name } = headers;
    if (api !== undefined || version !== undefined) {
      return { product: { name: name ?? "HCP Terraform or Terraform Enterprise", version: version ?? null } };
    }
    const errors = isObject(body) && Array.isArray(body.errors) ? (body.errors as unknown[]) : [];
    const isService =
      status === 204 ||
      (headers["content-type"] ?? "").startsWith(jsonApiMediaType) ||
      errors.some((error) => isObject(error) && "status" in error);
    return isService ? {} : undefined;
  },

  async lookUp(client, product) {
    const { ofProduct } = client;
    const response = await client.ask(
      ofProduct ? { path: path`/account/details` } : { path: organizations, query: one },
    );
    const { status, body } = response;
    if (status === 404 && !ofProduct && saysAbsence(body)) {
      // Any status but 401: the token is valid, but is not allowed to see them.
      const message =
        "valid, but cannot administer organizations, which AdminOrganization, ModuleConsumers and ProviderConsumers require";
      return { state: "ok", message };
    }
    if (status >= 400 && (status !== 404 || product === undefined)) {
      return { ...response.refusal("The token is invalid, revoked or expired."), state: "problem" };
    }
    if (!ofProduct) {
      return { state: "ok", message: "valid, can administer organizations" };
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
};
