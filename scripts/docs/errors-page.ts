import ts from "typescript";
import { type ServiceName, serviceNames } from "../../sdk/base/settings";
import { Connection } from "../../sdk/http/connection";
import { explainConnectionError } from "../../sdk/http/connection-problem";
import { adviceFor } from "../../sdk/http/advice";
import { commentOf } from "./comment";
import { fieldList, type Page, textFor, typesSection } from "./fields";
import { type Exported, type Library, summaryOf } from "./library";
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

interface Advised {
  /** What leads to the error. */
  readonly causes: readonly string[];
  /** What to do next. */
  readonly steps: readonly string[];
}

/** Causes and next steps of each class, beside those that the library knows by status and code. */
const advised: Readonly<Record<string, Advised>> = {
  TriviumError: {
    causes: [
      "The base class. Every class below extends it, so test for the others first.",
      "It is thrown itself if no other class fits, for example if an object that must not exist already exists.",
    ],
    steps: ["Read the last sentence of the message: it says what to do next."],
  },
  CancelledError: {
    causes: [
      "The program aborted the `signal` of the call.",
      "Somebody pressed Ctrl-C, or the engine cancelled the update.",
    ],
    steps: [
      "If `mayHaveBeenProcessed` is true, the service may have acted on the request. Run `pulumi refresh`, or read the object again, before you repeat a request that creates something.",
    ],
  },
  ConfigurationError: {
    causes: [
      "The address of the service is missing, or is not a URL.",
      "A certificate or a token file cannot be read, or a setting has an invalid value.",
      "A function in an inline program has no settings: it does not see the environment of the workspace.",
    ],
    steps: [
      "Run `npx pulumi-trivium doctor --stack NAME`. It says which settings are missing, and where the others come from.",
      "Set the setting that the message names. [Configuration](../configuration.md) has all of them.",
    ],
  },
  ConnectionError: {
    causes: [
      "The service could not be reached, or the connection was lost before the response was complete. `code` says why.",
    ],
    steps: [
      "Run `npx pulumi-trivium doctor`, and see the code below.",
      "If `permanent` is true, a retry fails again.",
    ],
  },
  ContractError: {
    causes: [
      "The response has a success status, but lacks a documented member, or has one of another type. `at` says which.",
      "The dialect does not match the service, or the address is that of another server.",
    ],
    steps: [
      "Run `npx pulumi-trivium doctor`. It recognizes the products, and reports a dialect that does not match. See [Dialects](../../dialects.md).",
      "The request has been processed: read the object before you repeat it.",
    ],
  },
  InputError: {
    causes: [
      "An argument is missing, unknown or not valid.",
      "An option cannot work, such as `import` with dynamic resources.",
      "A function for scripts was called in a Pulumi program.",
    ],
    steps: ["Correct the argument that the message names. No request was sent."],
  },
  NotFoundError: {
    causes: [
      "The object does not exist.",
      "The token has no access: the provisioning service does not distinguish the two.",
    ],
    steps: [
      "Check the name or id, and for the secrets service the mount and the namespace.",
      "Run `npx pulumi-trivium doctor`: it says what the token may do.",
    ],
  },
  ServiceError: {
    causes: ["The service refused the request, or failed. `status` and `words` have its response."],
    steps: ["See the status below. The message has more specific advice if the request has some."],
  },
  TimeoutError: {
    causes: [
      "The service did not respond within `requestTimeout`. `phase` says which part took too long.",
      "`waitForEvent` or `EventGate` got no matching event within its `timeout`.",
    ],
    steps: [
      "Increase `requestTimeout`, or the `timeout` argument.",
      "If `mayHaveBeenProcessed` is true, look for the object before you repeat a request that creates something.",
    ],
  },
};

/** The page about errors: which classes there are, and which page explains a status or code. */
export function errorsPageText(page: Page): string {
  return [
    "# Errors",
    "An error says what failed, what the service said and what to do next. It contains no secret. Each class has a page with its causes and what to do.",
    "## Classes",
    [
      "| class | meaning |",
      "| --- | --- |",
      ...classesOf(page.library).map(
        (each) =>
          `| [\`${each.shortName}\`](${errorPage(each.shortName)}) | ${textFor(page, summaryOf(each))} |`,
      ),
    ].join("\n"),
    "The classes are exported as `trivium.errors`. A script tests for one with its `isInstance`, which also works if a program has two copies of the package:",
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
    "## By status",
    statuses
      .map(([status, meaning]) => {
        const anchor = statusHeading(status, meaning).replace(":", "").replaceAll(" ", "-").toLowerCase();
        return `- [${status}: ${meaning}](${errorPage("ServiceError")}#${anchor})`;
      })
      .join("\n"),
    "## By connection code",
    `[\`ConnectionError\`](${errorPage("ConnectionError")}) explains these codes: ${connectionCodes.map((code) => `\`${code}\``).join(", ")}.`,
    "## What may have happened",
    "A failed request may still have been processed: the connection can be lost after the service has acted. The library therefore looks for the object before it retries. If it cannot know, the error says what to look for, and `mayHaveBeenProcessed` is true. A request that issues or changes something is only retried if the first one certainly had no effect.",
  ].join("\n\n");
}

/** The classes of errors; the base class comes first. */
export function classesOf({ namespaces }: Library): readonly Exported[] {
  const classes = namespaces.find(({ name }) => name === errorsNamespace)?.classes ?? [];
  const isBase = ({ shortName }: Exported): boolean => shortName === "TriviumError";
  return [...classes.filter(isBase), ...classes.filter((each) => !isBase(each))];
}

/** The page of one class: what it means, its causes, what to do, and its fields. */
export function errorPageText(page: Page, { shortName, symbol, declarations }: Exported): string {
  const { checker } = page.library;
  const entry = advised[shortName];
  if (entry === undefined) {
    throw new Error(`scripts/docs/errors-page.ts does not say what leads to ${shortName}.`);
  }
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
    "## Causes",
    entry.causes.map((cause) => `- ${cause}`).join("\n"),
    "## What to do",
    entry.steps.map((step) => `- ${step}`).join("\n"),
    ...detailsOf(shortName),
    ...(fields.length === 0 ? [] : ["## Fields", fieldList(page, fields, true)]),
    shortName === "TriviumError"
      ? ""
      : "It also has `hint` and `mayHaveBeenProcessed` of [`TriviumError`](trivium-error.md). [Errors](../errors.md) lists all classes.",
    typesSection(page),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const settingNames =
  "The sentences are those of the library. Names of one setting are together in parentheses: use any of them. `<service>` is `provisioning`, `secrets` or `scheduler`. See [Configuration](../configuration.md).";

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
  const hints = new Map<string, ServiceName[]>();
  for (const service of serviceNames) {
    const hint = adviceFor(
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
  return [`### ${statusHeading(status, meaning)}`, ...lines].join("\n\n");
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
