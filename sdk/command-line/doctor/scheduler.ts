import type { Dialect } from "../../base/settings";
import { path, type Path } from "../../base/path";
import type { Answer } from "../../http/transport";
import { isObject } from "../../base/json";
import { codeOf, describeAnswer, inWords, listed } from "./answers";
import type { Examination, Probe, Product } from "./probe";
import type { Questions } from "./questions";
import { type StreamVerdict, tryStream } from "./stream";
import { refusedToken } from "./token";

/** What a scheduler tells about itself and about a token. */
const selfDescription: Readonly<Record<Dialect, { readonly agent: Path; readonly token: Path } | undefined>> =
  {
    documented: undefined,
    hashicorp: { agent: path`/agent/self`, token: path`/acl/token/self` },
  };

const product: Product = {
  name: "Nomad",
  version: undefined,
  versionNeeds: "agent:read",
  dialect: "hashicorp",
};

/** What can be followed with less than a management token. */
const subscriptions: readonly {
  readonly subject: string;
  readonly topics: readonly string[];
  readonly needs: string;
}[] = [
  { subject: "nodes", topics: ["Node"], needs: "node:read" },
  { subject: "jobs", topics: ["Job"], needs: "namespace:read-job" },
];

/** Examines the scheduler. */
export const schedulerProbe: Probe = {
  service: "scheduler",
  first: { path: path`/status/leader` },
  tellsProduct: { documented: false, hashicorp: true },

  recognize: ({ status, body }) =>
    typeof body === "string" &&
    (status === 200 || (status === 500 && /no cluster leader|no path to region/i.test(body)))
      ? product
      : undefined,
  identify,

  // Its refusals are plain text, as those of many others are.
  isAnswerOfService: () => true,

  async speaksAsDocumented(questions) {
    for (const topics of [undefined, ...subscriptions.map((each) => each.topics)]) {
      const { kind } = await tryStream(questions.in("documented"), topics);
      if (kind === "alive") {
        return true;
      }
    }
    return false;
  },

  async examine(examination, first) {
    const { findings } = examination;
    if (first.status === 500) {
      findings.report("problem", "product", describeAnswer(first), {
        advice: "The servers have not chosen a leader: its operator has to look after them.",
        code: codeOf(first),
      });
    }
    const token = await describeToken(examination);
    if (token === "refused") {
      return;
    }
    const everything = await tryStream(examination.questions, undefined);
    const each =
      everything.kind === "alive"
        ? []
        : await Promise.all(subscriptions.map(({ topics }) => tryStream(examination.questions, topics)));
    if (token === "unknown" && !reportTokenByStreams(examination, [everything, ...each])) {
      return;
    }
    report(examination, "all topics", everything, "a management token");
    subscriptions.forEach(({ subject, needs }, position) => {
      const verdict = each[position];
      if (verdict !== undefined) {
        report(examination, subject, verdict, needs);
      }
    });
  },
};

/** Asks who the token is, where the scheduler says. */
async function describeToken(examination: Examination): Promise<"refused" | "known" | "unknown"> {
  const { questions, findings } = examination;
  const description = selfDescription[questions.settings.dialect];
  const answer = description && (await questions.get(description.token));
  if (answer === undefined || answer.status === 404) {
    return "unknown";
  }
  if (answer.status === 401 || answer.status === 403) {
    refusedToken(examination, answer, "It is wrong, revoked or expired.");
    return "refused";
  }
  if (/ACL support disabled/i.test(String(answer.body))) {
    findings.report("note", "token", "the scheduler checks no tokens: its access control is switched off");
    return "known";
  }
  if (answer.status >= 300 || !isObject(answer.body)) {
    findings.report("warning", "token", describeAnswer(answer), { code: codeOf(answer) });
    return "unknown";
  }
  findings.report("ok", "token", tokenInWords(answer.body));
  return "known";
}

function tokenInWords(token: Readonly<Record<string, unknown>>): string {
  const { Name: name, Type: type, Policies: policies, ExpirationTTL: life } = token;
  const names = Array.isArray(policies) ? policies.map(String) : [];
  return [
    typeof name === "string" && name !== "" ? `valid, ${JSON.stringify(name)}` : "valid",
    ...(typeof type === "string" ? [`a ${type} token`] : []),
    ...(names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`]),
    ...(typeof life === "string" && life !== "" ? [`made for ${life}`] : []),
  ].join(", ");
}

/** @returns whether the token may be valid */
function reportTokenByStreams(examination: Examination, verdicts: readonly StreamVerdict[]): boolean {
  const { findings } = examination;
  if (verdicts.some(({ kind }) => kind === "alive")) {
    findings.report("ok", "token", "valid");
    return true;
  }
  const [first, ...others] = verdicts;
  if (first?.kind !== "refused" || others.some(({ kind }) => kind !== "refused")) {
    findings.report("note", "token", "nothing has told whether it is valid");
    return true;
  }
  const reason = "It is wrong, revoked or expired, or may follow neither nodes nor jobs.";
  refusedToken(examination, { status: first.status, body: first.words }, reason);
  return false;
}

/** Only a token with the right to it is told the version. */
async function identify(known: Product, questions: Questions): Promise<Product> {
  const description = selfDescription[questions.settings.dialect];
  const answer = description && (await questions.get(description.agent));
  const version = answer && versionIn(answer);
  return { ...known, version };
}

function versionIn({ body }: Answer): string | undefined {
  const config = isObject(body) && isObject(body.config) ? body.config : {};
  const { Version: version } = config;
  const text = isObject(version) ? version.Version : version;
  return typeof text === "string" && text !== "" ? text : undefined;
}

function report(
  { findings, questions }: Examination,
  subject: string,
  verdict: StreamVerdict,
  needs: string,
): void {
  switch (verdict.kind) {
    case "alive":
      findings.report("ok", "rights", "may follow the events", { subject });
      return;
    case "refused":
      findings.report("note", "rights", `may not follow the events, which needs ${needs}`, {
        subject,
        code: `HTTP_${verdict.status}`,
      });
      return;
    case "silent":
      findings.report(
        "warning",
        "rights",
        `nothing came over the stream within ${inWords(questions.timeLimit / 1_000)}`,
        {
          subject,
          advice: "A proxy may hold back what it has not got as a whole: let it pass on streams at once.",
          code: "SILENT_STREAM",
        },
      );
      return;
    case "failed":
      findings.report("warning", "rights", verdict.message, { subject, code: `HTTP_${verdict.status}` });
  }
}
