import ts from "typescript";
import { type ServiceName, serviceNames } from "../../sdk/base/settings";
import { Connection } from "../../sdk/http/connection";
import { explainConnectionError } from "../../sdk/http/connection-problem";
import { hintFor } from "../../sdk/http/hints";
import { commentOf } from "./comment";
import { fieldList, type Page, textFor, typesSection } from "./fields";
import type { Exported } from "./library";
import { errorsNamespace } from "./links";
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

/** Codes as Node.js and OpenSSL give them, each with what is said of it. */
const connectionCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
  "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "UND_ERR_ABORTED",
] as const;

/** The page about errors: what each kind is, and what the library says that can be done. */
export function errorsPageText(page: Page): string {
  return [
    "# Errors",
    "An error says what was tried, what went wrong and what to do next, and holds no secret. What follows are the same sentences that the library shows. In them the names of a setting stand together: any of them will do. `<service>` stands for the one in question. [Configuration](configuration.md) describes each.",
    "## Kinds",
    "The classes are exported as `trivium.errors`. A script tests for one with its `isInstance`, which also works when a program holds two copies of the package:",
    [
      "```typescript",
      'import * as trivium from "pulumi-trivium";',
      "",
      "async function findProject(name: string) {",
      "  try {",
      '    return await trivium.provisioning.getProject({ organization: "acme", name });',
      "  } catch (error) {",
      "    if (trivium.errors.NotFoundError.isInstance(error)) {",
      "      return undefined;",
      "    }",
      "    throw error;",
      "  }",
      "}",
      "```",
    ].join("\n"),
    ...kinds(page),
    "## Answers of a service",
    ...statuses.map(([status, meaning]) => statusText(status, meaning)),
    "## Connections",
    ...connectionCodes.map(connectionText),
    "## What may have happened",
    "A request that failed may still have had its effect: the connection can break after the service has acted. The library then looks before it tries again, and where it cannot know, the error says what to look for. Requests that mint or change something are never repeated unless the first one surely had no effect.",
    typesSection(page),
  ].join("\n\n");
}

/** Each class with the fields that it adds to those of `TriviumError`, which comes first. */
function kinds(page: Page): readonly string[] {
  const { checker, namespaces } = page.library;
  const classes = namespaces.find(({ name }) => name === errorsNamespace)?.classes ?? [];
  const isBase = ({ shortName }: Exported): boolean => shortName === "TriviumError";
  return [...classes.filter(isBase), ...classes.filter((each) => !isBase(each))].map(
    ({ shortName, symbol, declarations }) => {
      const own = new Set(
        declarations
          .filter(ts.isClassDeclaration)
          .flatMap(({ members }) =>
            members.map(({ name }) => name?.getText()).filter((name) => name !== "name"),
          ),
      );
      const fields = membersOf(checker, checker.getDeclaredTypeOfSymbol(symbol), { nullable: true }).filter(
        ({ name }) => own.has(name),
      );
      const parts = [
        `### \`${shortName}\``,
        textFor(page, commentOf(...declarations).text),
        fieldList(page, fields, true),
      ];
      return parts.filter((part) => part !== "").join("\n\n");
    },
  );
}

function statusText(status: number, meaning: string): string {
  const hints = new Map<string, ServiceName[]>();
  for (const service of serviceNames) {
    const hint = hintFor(
      {
        status,
        headers: status === 301 ? { location: "https://other.example.com/" } : {},
        words: [],
        page: false,
        exhausted: false,
        tokenSource: `the environment variable ${service.toUpperCase()}_TOKEN`,
      },
      connectionTo(service),
    );
    if (hint !== undefined) {
      const common = withoutService(hint, service);
      hints.set(common, [...(hints.get(common) ?? []), service]);
    }
  }
  const lines = [...hints].map(([hint, of]) =>
    of.length === serviceNames.length ? hint : `**${of.join(", ")}**: ${hint}`,
  );
  return [`### ${status}: ${meaning}`, ...lines].join("\n\n");
}

function connectionText(code: string): string {
  const error = Object.assign(new Error(code), { code });
  const { problem, hint = "" } = explainConnectionError(error, connectionTo("provisioning"));
  const said = withoutService(problem.replace(code, "").replace(" ()", ""), "provisioning");
  const sentence = said === "" ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}. `;
  return `### \`${code}\`\n\n${sentence}${withoutService(hint, "provisioning")}`;
}

/** What is said of one service, as it is said of all; names of settings become code. */
function withoutService(text: string, service: ServiceName): string {
  return text
    .replaceAll(`https://${service}.example.com`, "`<service>`")
    .replace(new RegExp(`[\\w:]*${service}\\w*`, "gi"), (name) => {
      const common = name.replace(service, "<service>").replace(service.toUpperCase(), "<SERVICE>");
      return `\`${common}\``;
    });
}

function connectionTo(service: ServiceName): Connection {
  return new Connection({ service, address: `https://${service}.example.com` });
}
