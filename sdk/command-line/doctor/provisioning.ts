import type { Dialect } from "../../base/settings";
import { jsonApiMediaType } from "../../http/json-api";
import { path, type Path } from "../../base/path";
import type { Answer } from "../../http/transport";
import { isObject } from "../../base/json";
import { codeOf, counted, describeAnswer } from "./answers";
import type { Examination, Probe, Product } from "./probe";
import { refusedToken } from "./token";

const administration = path`/admin/organizations`;
const one = { "page[size]": 1 };

/** Who is behind a token, where the service says. */
const accountPath: Readonly<Record<Dialect, Path | undefined>> = {
  documented: undefined,
  hashicorp: path`/account/details`,
};

/** What the headers of every answer tell of the product that gives it. */
function productOf({ headers }: Answer): Product | undefined {
  const { "tfp-api-version": api, "x-tfe-version": version, "tfp-appname": name } = headers;
  return api === undefined && version === undefined
    ? undefined
    : { name: name ?? "HCP Terraform or Terraform Enterprise", version, dialect: "hashicorp" };
}

/** Examines the provisioning service. */
export const provisioningProbe: Probe = {
  service: "provisioning",
  first: { path: path`/ping` },
  documented: { path: administration, query: one },
  tellsProduct: { documented: false, hashicorp: true },
  recognize: productOf,
  isAnswerOfService,

  async speaksAsDocumented(questions) {
    const answer = await questions.get(administration, one);
    return isAnswerOfService(answer) && productOf(answer) === undefined;
  },

  async examine(examination) {
    const administrators = await examination.questions.get(administration, one);
    if (await isTokenValid(examination, administrators)) {
      reportAdministration(examination, administrators);
      await examineNamed(examination);
      suggestInterests(examination);
    }
  },

  examineNamed,
  nameMore: "name a workspace or an organization (--workspace ID, --organization NAME).",
};

type NamedExamination = Pick<Examination, "questions" | "findings" | "interests">;

async function examineNamed(examination: NamedExamination): Promise<readonly boolean[]> {
  const { organizations, workspaces } = examination.interests;
  const found: boolean[] = [];
  for (const organization of organizations) {
    found.push(await examineOrganization(examination, organization));
  }
  for (const workspace of workspaces) {
    found.push(await examineWorkspace(examination, workspace));
  }
  return found;
}

function isAnswerOfService({ status, headers, body }: Answer): boolean {
  const errors = isObject(body) && Array.isArray(body.errors) ? (body.errors as unknown[]) : [];
  return (
    status === 204 ||
    (headers["content-type"] ?? "").startsWith(jsonApiMediaType) ||
    errors.some((error) => isObject(error) && "status" in error)
  );
}

async function isTokenValid(examination: Examination, administrators: Answer): Promise<boolean> {
  const { questions, findings } = examination;
  const account = accountPath[questions.settings.dialect];
  const answer = account === undefined ? administrators : await questions.get(account);
  if (answer.status === 401) {
    refusedToken(examination, answer, "It is wrong, revoked or expired.");
    return false;
  }
  // What the token may not see is absent for it, which only a valid one is told.
  if (answer.status >= 400 && answer.status !== 404) {
    findings.report("problem", "token", describeAnswer(answer), { code: codeOf(answer) });
    return false;
  }
  const { username, isServiceAccount } = accountIn(answer);
  findings.report("ok", "token", username === undefined ? "valid" : `valid, that of ${username}`);
  if (isServiceAccount) {
    findings.report("note", "token", "the token of an organization or a team, not of a person", {
      advice: "That of an organization cannot manage notification configurations.",
    });
  }
  return true;
}

function accountIn({ body }: Answer): { readonly username: string | undefined; isServiceAccount: boolean } {
  const data = isObject(body) && isObject(body.data) ? body.data : {};
  const attributes = isObject(data.attributes) ? data.attributes : {};
  return {
    username: typeof attributes.username === "string" ? attributes.username : undefined,
    isServiceAccount: attributes["is-service-account"] === true,
  };
}

function reportAdministration({ findings }: Examination, answer: Answer): void {
  const subject = "administration";
  if (answer.status < 300) {
    findings.report("ok", "rights", "may administer organizations", { subject });
  } else if ([401, 403, 404].includes(answer.status)) {
    const message = "may not administer organizations: AdminOrganization and ModuleConsumers need that";
    findings.report("note", "rights", message, { subject });
  } else {
    findings.report("warning", "rights", describeAnswer(answer), { subject, code: codeOf(answer) });
  }
}

async function examineOrganization(
  { questions, findings }: NamedExamination,
  name: string,
): Promise<boolean> {
  const projects = path`/organizations/${name}/projects`;
  const subject = name;
  const answer = await questions.get(projects, one);
  if (answer.status >= 400) {
    const advice = `Check the name, and whether the token may see projects of ${name}.`;
    findings.report("problem", "rights", describeAnswer(answer), { subject, advice, code: codeOf(answer) });
    return false;
  }
  const [changeable, open] = await Promise.all(
    ["update", "create-workspace"].map((permission) =>
      questions.get(projects, { ...one, [`filter[permissions][${permission}]`]: true }),
    ),
  );
  const total = projectCount(answer);
  const parts = [
    total === undefined ? "may see the projects" : `may see ${counted(total, "project")}`,
    ...amount("change", changeable && projectCount(changeable)),
    ...amount("create workspaces in", open && projectCount(open)),
  ];
  findings.report("ok", "rights", parts.join(", "), { subject });
  return true;
}

function amount(verb: string, count: number | undefined): string[] {
  return count === undefined ? [] : [`${verb} ${count === 0 ? "none" : String(count)}`];
}

/** How many projects there are that the query selects, where the service says. */
function projectCount({ body }: Answer): number | undefined {
  const meta = isObject(body) && isObject(body.meta) ? body.meta : {};
  const counts = isObject(meta["status-counts"]) ? meta["status-counts"] : {};
  const pagination = isObject(meta.pagination) ? meta.pagination : {};
  return [counts.matching, pagination["total-count"], counts.total].find(
    (count) => typeof count === "number",
  );
}

async function examineWorkspace({ questions, findings }: NamedExamination, id: string): Promise<boolean> {
  const subject = id;
  const answer = await questions.get(path`/workspaces/${id}/notification-configurations`);
  if (answer.status >= 400) {
    const advice = "Check the id (ws-...), and whether the token administers the workspace.";
    findings.report("problem", "rights", describeAnswer(answer), { subject, advice, code: codeOf(answer) });
    return false;
  }
  const count = isObject(answer.body) && Array.isArray(answer.body.data) ? answer.body.data.length : 0;
  findings.report("ok", "rights", `may see ${counted(count, "notification configuration")}`, { subject });
  return true;
}

function suggestInterests({ findings, interests }: Examination): void {
  if (interests.organizations.length + interests.workspaces.length === 0) {
    findings.report("note", "rights", "not asked about any organization or workspace", {
      subject: "projects",
      advice: "Name one to learn what the token may do there: --organization NAME, --workspace ID.",
    });
  }
}
