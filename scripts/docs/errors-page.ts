import ts from "typescript";
import { type ServiceName, serviceNames } from "../../sdk/base/settings";
import { adviceFor } from "../../sdk/http/advice";
import { explainConnectionError } from "../../sdk/http/failures";
import type { Destination } from "../../sdk/http/transport";
import { commentOf } from "./comment";
import { fieldList, type Page, textFor, typesSection } from "./fields";
import { type Exported, type Library, prose, summaryOf } from "./library";
import { errorPage, errorsNamespace } from "./links";
import { membersOf } from "./member";

const statuses: readonly (readonly [number, string])[] = [
  [301, "redirected"],
  [401, "not authenticated"],
  [403, "not allowed"],
  [404, "not found"],
  [407, "proxy authentication"],
  [413, "too large"],
  [415, "unsupported media type"],
  [429, "too many requests"],
  [500, "failed"],
  [502, "bad gateway"],
  [503, "unavailable"],
  [504, "gateway timeout"],
];

const connectionCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "UND_ERR_CLOSED",
] as const;

export function errorsPageText(page: Page): string {
  const classes = classesOf(page.library).map(
    (each) => `| [\`${each.shortName}\`](${errorPage(each.shortName)}) | ${textFor(page, summaryOf(each))} |`,
  );
  const links = statuses.map(([status, meaning]) => {
    const anchor = statusHeading(status, meaning).replace(":", "").replaceAll(" ", "-").toLowerCase();
    return `- [${status}: ${meaning}](${errorPage("ServiceError")}#${anchor})`;
  });
  return prose("errors.md", {
    classes: ["| class | meaning |", "| --- | --- |", ...classes].join("\n"),
    statuses: links.join("\n"),
    codes: connectionCodes.map((code) => `\`${code}\``).join(", "),
  });
}

/** The base class comes first. */
export function classesOf({ namespaces }: Library): readonly Exported[] {
  const classes = namespaces.find(({ name }) => name === errorsNamespace)?.classes ?? [];
  const isBase = ({ shortName }: Exported): boolean => shortName === "TriviumError";
  return [...classes.filter(isBase), ...classes.filter((each) => !isBase(each))];
}

export function errorPageText(page: Page, { shortName, symbol, declarations }: Exported): string {
  const { checker } = page.library;
  const own = new Set(
    declarations
      .filter(ts.isClassDeclaration)
      .flatMap(({ members }) => members.map(({ name }) => name?.getText()).filter((name) => name !== "name")),
  );
  const fields = membersOf(checker, checker.getDeclaredTypeOfSymbol(symbol), { nullable: true }).filter(
    ({ name }) => own.has(name),
  );
  return [
    `# ${shortName}`,
    textFor(page, commentOf(...declarations).text),
    prose(`errors/${shortName}.md`),
    ...detailsOf(shortName),
    ...(fields.length === 0 ? [] : ["## Fields", fieldList(page, fields, true)]),
    shortName === "TriviumError"
      ? ""
      : "Like all classes of errors, it also has the fields `advice` and `mayHaveBeenProcessed` of [`TriviumError`](trivium-error.md). See [Errors](../errors.md) for all classes.",
    typesSection(page),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const settingNames =
  "These are the error messages. The names in parentheses are alternatives for the same setting; use any of them. `<service>` is `provisioning` (HCP Terraform or Terraform Enterprise), `secrets` (Vault or OpenBao) or `scheduler` (Nomad). See [Configuration](../configuration.md).";

function detailsOf(shortName: string): readonly string[] {
  switch (shortName) {
    case "ServiceError":
      return [
        "## By status",
        settingNames,
        ...statuses.map(([status, meaning]) => statusText(status, meaning)),
      ];
    case "ConnectionError":
      return ["## By code", settingNames, ...connectionCodes.map(connectionText)];
    default:
      return [];
  }
}

function statusHeading(status: number, meaning: string): string {
  return `Status ${status}: ${meaning}`;
}

function statusText(status: number, meaning: string): string {
  const adviceByText = new Map<string, ServiceName[]>();
  for (const service of serviceNames) {
    const advice = adviceFor(
      {
        status,
        headers: status === 301 ? { location: "https://other.example.com/" } : {},
        messages: [],
        page: false,
        exhausted: false,
        tokenSource: `the environment variable ${service.toUpperCase()}_TOKEN`,
      },
      connectionTo(service),
    );
    if (advice !== undefined) {
      const common = withoutService(advice, service);
      adviceByText.set(common, [...(adviceByText.get(common) ?? []), service]);
    }
  }
  const lines = [...adviceByText].map(([advice, services]) =>
    services.length === serviceNames.length ? advice : `**${services.join(", ")}**: ${advice}`,
  );
  return [`### ${statusHeading(status, meaning)}`, ...lines].join("\n\n");
}

function connectionText(code: string): string {
  const error = Object.assign(new Error(code), { code });
  const { problem, advice = "" } = explainConnectionError(error, connectionTo("provisioning"));
  const text = withoutService(problem.replace(code, "").replace(" ()", ""), "provisioning");
  const sentence = text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}. `;
  return `### \`${code}\`\n\n${sentence}${withoutService(advice, "provisioning")}`;
}

/** Replaces the service's name by a placeholder; names of settings become code. */
function withoutService(text: string, service: ServiceName): string {
  return text
    .replaceAll(`https://${service}.example.com`, "`<service>`")
    .replace(new RegExp(`[\\w:]*${service}\\w*`, "gi"), (name) => {
      const common = name.replace(service, "<service>").replace(service.toUpperCase(), "<SERVICE>");
      return `\`${common}\``;
    });
}

function connectionTo(service: ServiceName): Destination {
  return { service, dialect: "documented", origin: `https://${service}.example.com` };
}
