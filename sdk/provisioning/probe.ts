import { isObject } from "../base/json";
import { path } from "../base/path";
import {
  codeOf,
  counted,
  describeResponse,
  type Examination,
  type Probe,
  type Product,
  refusedToken,
} from "../connection/probe";
import { jsonApiMediaType } from "../http/json-api";
import type { HttpResponse } from "../http/transport";
import { organizations } from "./admin-organization";
import { configurationsOf } from "./notification-configuration";
import { projectsOf } from "./project";
import { provisioningService } from "./service";

const one = { "page[size]": 1 };
/** The endpoint of a product that describes the owner of a token. */
const account = path`/account/details`;

/** How the provisioning service is examined. */
export const provisioningProbe: Probe = {
  service: provisioningService,
  first: { path: path`/ping` },
  documented: { path: organizations, query: one },
  recognize: productOf,
  isServiceResponse,

  async speaksAsDocumented(questions) {
    const response = await questions.get(organizations, one);
    return isServiceResponse(response) && productOf(response) === undefined;
  },

  async examine(examination) {
    const { questions, report, interests } = examination;
    const administration = await questions.get(organizations, one);
    const response = questions.ofProduct ? await questions.get(account) : administration;
    if (!reportToken(examination, response)) {
      return;
    }
    reportAdministration(examination, administration);
    await examineNamed(examination);
    if (interests.organizations.length + interests.workspaces.length === 0) {
      report("note", "rights", "no organization or workspace was checked", {
        subject: "projects",
        advice: "To check what the token may do in one, name it: --organization NAME, --workspace ID.",
      });
    }
  },

  examineNamed,
};

/** What the headers of every response tell of the product that gives it. */
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

async function examineNamed(examination: Examination): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  for (const name of examination.interests.organizations) {
    found.push(await examineOrganization(examination, name));
  }
  for (const id of examination.interests.workspaces) {
    found.push(await examineWorkspace(examination, id));
  }
  return found;
}

/** @returns whether it is valid */
function reportToken(examination: Examination, response: HttpResponse): boolean {
  const { report } = examination;
  if (response.status === 401) {
    refusedToken(examination, response, "The token is invalid, revoked or expired.");
    return false;
  }
  // What the token may not see is absent for it, which only a valid one is told.
  if (response.status >= 400 && response.status !== 404) {
    report("problem", "token", describeResponse(response), { code: codeOf(response) });
    return false;
  }
  const { username, "is-service-account": isServiceAccount } = member(response.body, "data", "attributes");
  report("ok", "token", typeof username === "string" ? `valid, belongs to ${username}` : "valid");
  if (isServiceAccount === true) {
    report("note", "token", "an organization or team token, not a user token", {
      advice: "An organization token cannot manage notification configurations.",
    });
  }
  return true;
}

function reportAdministration({ report }: Examination, response: HttpResponse): void {
  const subject = "administration";
  if (response.status < 300) {
    report("ok", "rights", "may administer organizations", { subject });
  } else if ([401, 403, 404].includes(response.status)) {
    const message = "may not administer organizations, which AdminOrganization and ModuleConsumers require";
    report("note", "rights", message, { subject });
  } else {
    report("warning", "rights", describeResponse(response), { subject, code: codeOf(response) });
  }
}

async function examineOrganization({ questions, report }: Examination, name: string): Promise<boolean> {
  const projects = projectsOf(name);
  const response = await questions.get(projects, one);
  if (response.status >= 400) {
    const advice = `Check the name, and whether the token has access to projects of ${name}.`;
    report("problem", "rights", describeResponse(response), {
      subject: name,
      advice,
      code: codeOf(response),
    });
    return false;
  }
  const amounts = await Promise.all(
    [
      ["change", "update"],
      ["create workspaces in", "create-workspace"],
    ].map(async ([verb, permission]) => {
      const permitted = { ...one, [`filter[permissions][${permission}]`]: true };
      const count = projectCount(await questions.get(projects, permitted));
      return count === undefined ? [] : [`${verb} ${count === 0 ? "none" : String(count)}`];
    }),
  );
  const total = projectCount(response);
  const seen = total === undefined ? "may see the projects" : `may see ${counted(total, "project")}`;
  report("ok", "rights", [seen, ...amounts.flat()].join(", "), { subject: name });
  return true;
}

/** How many projects there are that the query selects, where the service says. */
function projectCount({ body }: HttpResponse): number | undefined {
  const counts = member(body, "meta", "status-counts");
  const pagination = member(body, "meta", "pagination");
  return [counts.matching, pagination["total-count"], counts.total].find(
    (count) => typeof count === "number",
  );
}

async function examineWorkspace({ questions, report }: Examination, id: string): Promise<boolean> {
  const response = await questions.get(configurationsOf(id));
  if (response.status >= 400) {
    const advice = "Check the id (ws-...), and whether the token has admin access to the workspace.";
    report("problem", "rights", describeResponse(response), { subject: id, advice, code: codeOf(response) });
    return false;
  }
  const count = isObject(response.body) && Array.isArray(response.body.data) ? response.body.data.length : 0;
  report("ok", "rights", `may see ${counted(count, "notification configuration")}`, { subject: id });
  return true;
}

/** An object within a response; an empty one where there is none. */
function member(body: unknown, ...names: readonly string[]): Readonly<Record<string, unknown>> {
  const found = names.reduce((value, name) => (isObject(value) ? value[name] : undefined), body);
  return isObject(found) ? found : {};
}
