import { ServiceError, TimeoutError } from "../base/errors";
import { isObject } from "../base/json";
import { path } from "../base/path";
import {
  codeOf,
  describeResponse,
  inWords,
  type Lookup,
  policiesIn,
  type Probe,
  type ProbeClient,
} from "../connection/probe";
import type { SchedulerClient } from "./client";
import { WatchedStream } from "./follow";
import { isRefusal } from "./client";
import { schedulerService } from "./service";

/** Data arrived, nothing arrived in time, or a response without events. */
type Outcome =
  "alive" | "silent" | { readonly status: number; readonly body: string; readonly refused: boolean };

/** The complete one first; each of the others requires less than a management token. */
const subscriptions = [
  { subject: "all topics", topics: undefined },
  { subject: "nodes", topics: ["Node"] },
  { subject: "jobs", topics: ["Job"] },
] as const;

export const schedulerProbe: Probe = {
  service: schedulerService,
  first: { path: path`/status/leader` },

  recognize: ({ status, body }) =>
    typeof body === "string" &&
    (status === 200 || (status === 500 && /no cluster leader|no path to region/i.test(body)))
      ? { name: "Nomad", version: undefined }
      : undefined,

  async versionOf(questions) {
    const { body } = await questions.get(path`/agent/self`);
    const config = isObject(body) && isObject(body.config) ? body.config : {};
    const { Version: version } = config;
    const text = isObject(version) ? version.Version : version;
    return typeof text === "string" && text !== "" ? text : undefined;
  },

  // Any response may be a scheduler's: its errors are plain text, as those of many servers.
  isServiceResponse: () => true,

  unusable: (first) =>
    first.status === 500
      ? {
          message: describeResponse(first),
          advice: "The servers have no leader. Contact the operator of the scheduler.",
          code: codeOf(first),
        }
      : undefined,

  // The documented interface only has the event stream.
  lookUp: async (questions) =>
    (questions.ofProduct ? await describeToken(questions) : undefined) ?? (await lookUpByStream(questions)),

  named: {},
  isAllowed: ({ status }) => status < 300,
};

async function describeToken(questions: ProbeClient): Promise<Lookup | undefined> {
  const response = await questions.get(path`/acl/token/self`);
  const { status, body } = response;
  if (status === 404) {
    return undefined;
  }
  if (status === 401 || status === 403) {
    return { refusal: response, reason: "The token is invalid, revoked or expired." };
  }
  if (/ACL support disabled/i.test(String(body))) {
    return { state: "note", message: "the scheduler does not check tokens: its ACL system is disabled" };
  }
  if (status >= 300 || !isObject(body)) {
    return { state: "warning", message: describeResponse(response), code: codeOf(response) };
  }
  const { Name: name, Type: type, Policies: policies, ExpirationTTL: life, ExpirationTime: end } = body;
  const parts = [
    typeof name === "string" && name !== "" ? `valid, ${JSON.stringify(name)}` : "valid",
    ...(typeof type === "string" ? [`a ${type} token`] : []),
    ...policiesIn(policies),
    ...(typeof life === "string" && life !== "" ? [`made for ${life}`] : []),
    ...(typeof end === "string" ? [`valid until ${end}`] : []),
  ];
  return { state: "ok", message: parts.join(", ") };
}

async function lookUpByStream(questions: ProbeClient): Promise<Lookup> {
  let refusal = { status: 403, body: "" };
  for (const { subject, topics } of subscriptions) {
    const outcome = await follow(questions, topics);
    if (outcome === "alive") {
      return { state: "ok", message: `valid, may read the event stream of ${subject}` };
    }
    if (outcome === "silent") {
      return {
        state: "warning",
        message: `not verified: the event stream sent nothing within ${inWords(questions.timeLimit / 1_000)}`,
        advice: "A proxy may buffer the response: disable response buffering for the event stream.",
        code: "SILENT_STREAM",
      };
    }
    if (!outcome.refused) {
      return { state: "warning", message: describeResponse(outcome), code: codeOf(outcome) };
    }
    refusal = outcome;
  }
  const reason = "The token is invalid, revoked or expired, or has access to neither node nor job events.";
  return { refusal, reason };
}

async function follow(questions: ProbeClient, topics: readonly string[] | undefined): Promise<Outcome> {
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
    // Some schedulers only respond when there is an event.
    if (TimeoutError.isInstance(error) && error.phase === "headers") {
      return "silent";
    }
    if (!ServiceError.isInstance(error) || error.status < 400) {
      throw error;
    }
    return { status: error.status, body: error.messages.join("; "), refused: isRefusal(error) };
  }
}
