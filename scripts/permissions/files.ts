import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import type { Operation, RecordedRequests, RequestsOfClass } from "../../sdk/command-line/policy/requests";
import { permissionOf } from "../../sdk/command-line/policy/provisioning";
import { capabilityOf } from "../../sdk/command-line/policy/secrets";
import { allDialects } from "../../tests/cases/support/case";
import { recordFunctions } from "./functions";
import { recordRequests } from "./record";

const root = join(__dirname, "..", "..");
const requestsFile = join(root, "sdk", "command-line", "policy", "recorded-requests.json");
const page = join(root, "docs", "permissions.md");
const operations: readonly Operation[] = ["refresh", "create", "update", "delete"];

/** What follows from the requests that the library really makes, by file. */
export async function permissionFiles(): Promise<ReadonlyMap<string, string>> {
  const recorded: Record<string, RecordedRequests> = {};
  for (const dialect of allDialects) {
    recorded[dialect] = await recordRequests(dialect);
  }
  const functions = await recordFunctions();
  const { hashicorp = {} } = recorded;
  const sections = {
    secrets: [classTable(hashicorp, "secrets/", rulesText), functionTable(functions, "secrets.", rulesText)],
    provisioning: [
      classTable(hashicorp, "provisioning:", permissionsText),
      functionTable(functions, "provisioning.", permissionsText),
    ],
  };
  const text = Object.entries(sections).reduce(
    (all, [name, parts]) =>
      all.replace(
        new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- end of ${name} -->)`),
        () => `\n${parts.join("\n\n")}\n\n`,
      ),
    readFileSync(page, "utf8"),
  );
  return new Map([
    [requestsFile, await formatted(requestsFile, JSON.stringify(recorded), "json")],
    [page, await formatted(page, text, "markdown")],
  ]);
}

async function formatted(file: string, text: string, parser: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), parser });
}

/** Text for the requests of one operation. */
type Shown = (requests: readonly string[], form?: RequestsOfClass) => string;

function classTable(recorded: RecordedRequests, beginning: string, shown: Shown): string {
  const rows = Object.entries(recorded).flatMap(([type, forms]) =>
    type.startsWith(beginning)
      ? forms.map((form) => [
          `${nameOf(type)}${conditionOf(form)}`,
          ...operations.map((operation) => shown(form[operation], form) || "none"),
        ])
      : [],
  );
  return table(["class", ...operations], rows);
}

function functionTable(
  functions: ReadonlyMap<string, readonly string[]>,
  beginning: string,
  shown: Shown,
): string {
  const rows = [...functions].filter(([name]) => name.startsWith(beginning));
  return table(
    ["function", "requires"],
    rows.map(([name, requests]) => [`\`${name}\``, shown(requests)]),
  );
}

function rulesText(requests: readonly string[], form?: RequestsOfClass): string {
  const granted = new Map<string, Set<string>>();
  for (const request of requests) {
    const [method = "", path = ""] = request.split(" ");
    const isFirst =
      method === "POST" && form?.create.includes(request) === true && form.create.includes(`GET ${path}`);
    const own = granted.get(path) ?? new Set();
    granted.set(path, own);
    [...(isFirst ? ["create"] : []), capabilityOf(method)].forEach((each) => own.add(each));
  }
  return lines([...granted].map(([path, own]) => `\`${path}\`: ${[...own].sort().join(", ")}`));
}

function permissionsText(requests: readonly string[]): string {
  const permissions = requests.map(permissionOf);
  return lines(
    permissions.map(({ on, permission }) => (on === "site" ? permission : `${on}: ${permission}`)),
  );
}

function lines(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join("<br>");
}

function nameOf(type: string): string {
  return `\`${type.replace(/[/:]/g, ".")}\``;
}

function conditionOf({ when = {} }: RequestsOfClass): string {
  return Object.entries(when)
    .map(([name, isSet]) => ` ${isSet ? "with" : "without"} \`${name}\``)
    .join("");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
