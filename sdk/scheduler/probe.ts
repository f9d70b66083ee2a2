import { ServiceError, TimeoutError } from "../base/errors";
import { isObject } from "../base/json";
import { path } from "../base/path";
import {
  codeOf,
  describeAnswer,
  type Examination,
  inWords,
  policiesIn,
  type Probe,
  type Questions,
  refusedToken,
} from "../connection/probe";
import type { SchedulerClient } from "./client";
import { WatchedStream } from "./follow";
import { isRefusal } from "./refusal";
import { schedulerService } from "./service";

/** What became of a subscription: something came, nothing came in time, or an answer without events. */
type Outcome =
  "alive" | "silent" | { readonly status: number; readonly body: string; readonly refused: boolean };

/** What there is to follow, the whole first; of the rest each with less than a management token. */
const subscriptions = [
  { subject: "all topics", topics: undefined, needs: "a management token" },
  { subject: "nodes", topics: ["Node"], needs: "node:read" },
  { subject: "jobs", topics: ["Job"], needs: "namespace:read-job" },
] as const;

type Subscription = (typeof subscriptions)[number];

/** How the scheduler is examined. */
export const schedulerProbe: Probe = {
  service: schedulerService,
  first: { path: path`/status/leader` },

  recognize: ({ status, body }) =>
    typeof body === "string" &&
    (status === 200 || (status === 500 && /no cluster leader|no path to region/i.test(body)))
      ? { name: "Nomad", version: undefined, versionNeeds: "agent:read" }
      : undefined,

  async versionOf(questions) {
    const { body } = await questions.get(path`/agent/self`);
    const config = isObject(body) && isObject(body.config) ? body.config : {};
    const { Version: version } = config;
    const text = isObject(version) ? version.Version : version;
    return typeof text === "string" && text !== "" ? text : undefined;
  },

  // Its refusals are plain text, as those of many others are.
  isAnswerOfService: () => true,

  async speaksAsDocumented(questions) {
    for (const subscription of subscriptions) {
      if ((await follow(questions.in("documented"), subscription)) === "alive") {
        return true;
      }
    }
    return false;
  },

  async examine(examination, first) {
    const { questions, report } = examination;
    if (first.status === 500) {
      report("problem", "product", describeAnswer(first), {
        advice: "The servers have not chosen a leader: its operator has to look after them.",
        code: codeOf(first),
      });
    }
    const token = await describeToken(examination);
    if (token === "refused") {
      return;
    }
    const [everything, ...parts] = subscriptions;
    const outcomes = [await follow(questions, everything)];
    if (outcomes[0] !== "alive") {
      outcomes.push(...(await Promise.all(parts.map((part) => follow(questions, part)))));
    }
    if (token === "known" || reportTokenByOutcomes(examination, outcomes)) {
      outcomes.forEach((outcome, position) =>
        reportOutcome(examination, subscriptions[position] ?? everything, outcome),
      );
    }
  },
};

/** Asks who the token is, where the scheduler says. */
async function describeToken(examination: Examination): Promise<"refused" | "known" | "unknown"> {
  const { questions, report } = examination;
  const answer = questions.ofProduct ? await questions.get(path`/acl/token/self`) : undefined;
  if (answer === undefined || answer.status === 404) {
    return "unknown";
  }
  const { status, body } = answer;
  if (status === 401 || status === 403) {
    refusedToken(examination, answer, "It is wrong, revoked or expired.");
    return "refused";
  }
  if (/ACL support disabled/i.test(String(body))) {
    report("note", "token", "the scheduler checks no tokens: its access control is switched off");
    return "known";
  }
  if (status >= 300 || !isObject(body)) {
    report("warning", "token", describeAnswer(answer), { code: codeOf(answer) });
    return "unknown";
  }
  const { Name: name, Type: type, Policies: policies, ExpirationTTL: life } = body;
  const parts = [
    typeof name === "string" && name !== "" ? `valid, ${JSON.stringify(name)}` : "valid",
    ...(typeof type === "string" ? [`a ${type} token`] : []),
    ...policiesIn(policies),
    ...(typeof life === "string" && life !== "" ? [`made for ${life}`] : []),
  ];
  report("ok", "token", parts.join(", "));
  return "known";
}

/** Opens the event stream, waits until something comes, and closes it. */
async function follow(questions: Questions, { topics }: Subscription): Promise<Outcome> {
  const { signal, timeLimit } = questions;
  const client = questions.client as SchedulerClient;
  try {
    const stream = new WatchedStream(await client.openEventStream({ topics }, 0, signal), timeLimit);
    try {
      if ((await stream.read()) !== undefined) {
        return "alive";
      }
      // Newer schedulers begin to answer before they check the token.
      return stream.isIdle
        ? "silent"
        : { status: 200, body: "the stream ended without a byte", refused: true };
    } finally {
      stream.close();
    }
  } catch (error) {
    // Some begin to answer only when there is an event.
    if (TimeoutError.isInstance(error) && error.phase === "headers") {
      return "silent";
    }
    if (!ServiceError.isInstance(error) || error.status < 400) {
      throw error;
    }
    return { status: error.status, body: error.words.join("; "), refused: isRefusal(error) };
  }
}

/** @returns whether the token may be valid */
function reportTokenByOutcomes(examination: Examination, outcomes: readonly Outcome[]): boolean {
  const { report } = examination;
  const refusals = outcomes.flatMap((outcome) =>
    typeof outcome === "object" && outcome.refused ? [outcome] : [],
  );
  const [refusal] = refusals;
  if (outcomes.includes("alive")) {
    report("ok", "token", "valid");
  } else if (refusal !== undefined && refusals.length === outcomes.length) {
    const reason = "It is wrong, revoked or expired, or may follow neither nodes nor jobs.";
    refusedToken(examination, refusal, reason);
    return false;
  } else {
    report("note", "token", "nothing has told whether it is valid");
  }
  return true;
}

function reportOutcome(
  { report, questions }: Examination,
  { subject, needs }: Subscription,
  outcome: Outcome,
): void {
  if (outcome === "alive") {
    report("ok", "rights", "may follow the events", { subject });
  } else if (outcome === "silent") {
    const waited = inWords(questions.timeLimit / 1_000);
    report("warning", "rights", `nothing came over the stream within ${waited}`, {
      subject,
      advice: "A proxy may hold back what it has not got as a whole: let it pass on streams at once.",
      code: "SILENT_STREAM",
    });
  } else if (outcome.refused) {
    const message = `may not follow the events, which needs ${needs}`;
    report("note", "rights", message, { subject, code: codeOf(outcome) });
  } else {
    const message = `answered with ${outcome.status}: ${outcome.body}`;
    report("warning", "rights", message, { subject, code: codeOf(outcome) });
  }
}
