import { ServiceError, TimeoutError } from "../base/errors";
import { isObject } from "../base/json";
import { path } from "../base/path";
import {
  codeOf,
  describeResponse,
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

/** The outcome of a subscription: data arrived, nothing arrived in time, or a response without events. */
type Outcome =
  "alive" | "silent" | { readonly status: number; readonly body: string; readonly refused: boolean };

/**
 * The subscriptions to check, the complete one first; each of the others requires less than a management
 * token.
 */
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

  // Its errors are plain text, as those of many other servers are.
  isServiceResponse: () => true,

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
      report("problem", "product", describeResponse(first), {
        advice: "The servers have no leader. Contact the operator of the scheduler.",
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

/** Reads the token's own properties, if the scheduler returns them. */
async function describeToken(examination: Examination): Promise<"refused" | "known" | "unknown"> {
  const { questions, report } = examination;
  const response = questions.ofProduct ? await questions.get(path`/acl/token/self`) : undefined;
  if (response === undefined || response.status === 404) {
    return "unknown";
  }
  const { status, body } = response;
  if (status === 401 || status === 403) {
    refusedToken(examination, response, "The token is invalid, revoked or expired.");
    return "refused";
  }
  if (/ACL support disabled/i.test(String(body))) {
    report("note", "token", "the scheduler does not check tokens: its ACL system is disabled");
    return "known";
  }
  if (status >= 300 || !isObject(body)) {
    report("warning", "token", describeResponse(response), { code: codeOf(response) });
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

/** Opens the event stream, waits for data, and closes it. */
async function follow(questions: Questions, { topics }: Subscription): Promise<Outcome> {
  const { signal, timeLimit } = questions;
  const client = questions.client as SchedulerClient;
  try {
    const stream = new WatchedStream(await client.openEventStream({ topics }, 0, signal), timeLimit);
    try {
      if ((await stream.read()) !== undefined) {
        return "alive";
      }
      // Newer schedulers start to respond before they check the token.
      return stream.isIdle ? "silent" : { status: 200, body: "the stream ended without data", refused: true };
    } finally {
      stream.close();
    }
  } catch (error) {
    // Some only respond when there is an event.
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
    const reason = "The token is invalid, revoked or expired, or has access to neither node nor job events.";
    refusedToken(examination, refusal, reason);
    return false;
  } else {
    report("note", "token", "not verified: nothing shows whether it is valid");
  }
  return true;
}

function reportOutcome(
  { report, questions }: Examination,
  { subject, needs }: Subscription,
  outcome: Outcome,
): void {
  if (outcome === "alive") {
    report("ok", "rights", "may read the event stream", { subject });
  } else if (outcome === "silent") {
    const waited = inWords(questions.timeLimit / 1_000);
    report("warning", "rights", `the stream sent nothing within ${waited}`, {
      subject,
      advice: "A proxy may buffer the response: disable response buffering for the event stream.",
      code: "SILENT_STREAM",
    });
  } else if (outcome.refused) {
    const message = `may not read the event stream, which requires ${needs}`;
    report("note", "rights", message, { subject, code: codeOf(outcome) });
  } else {
    const message = `returned ${outcome.status}: ${outcome.body}`;
    report("warning", "rights", message, { subject, code: codeOf(outcome) });
  }
}
