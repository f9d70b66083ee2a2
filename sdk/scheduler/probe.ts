import { ServiceError } from "../base/errors";
import { isObject } from "../base/json";
import { path } from "../base/path";
import { nameOfSetting } from "../base/settings";
import { policiesIn, type Probe, type ProbeClient, ProbeResponse, type Verdict } from "../connection/probe";
import type { SchedulerClient } from "./client";
import { isUnanswered } from "./reconnections";
import { isRefusal } from "./refusal";
import { schedulerService } from "./service";
import { WatchedStream } from "./watched-stream";

/** The complete request first; each of the others requires less than a management token. */
const subscriptions = [
  ["all topics", undefined],
  ["nodes", ["Node"]],
  ["jobs", ["Job"]],
] as const;

export const schedulerProbe: Probe = {
  service: schedulerService,
  naming: { path: path`/status/leader` },
  documented: (client) => follow(client, undefined),

  identify(response) {
    const { status, body } = response;
    if (body === page || status === 404) {
      return undefined;
    }
    const isNomad =
      typeof body === "string" &&
      (status === 200 || (status === 500 && /no cluster leader|no path to region/i.test(body)));
    const advice = "The servers have no leader. Contact the operator of the scheduler.";
    // Any response might come from a scheduler: its errors are plain text, like those of many servers.
    return {
      ...(isNomad ? { product: { name: "Nomad", version: null } } : {}),
      ...(status === 500 ? { problem: { ...response.failure, advice } } : {}),
    };
  },

  async versionOf(client) {
    const { body } = await client.ask({ path: path`/agent/self` });
    const { Version: version } = isObject(body) && isObject(body.config) ? body.config : {};
    const text = isObject(version) ? version.Version : version;
    return typeof text === "string" && text !== "" ? text : null;
  },

  async lookUp(client, product) {
    const { login, token } = client.settings;
    const isAnonymous = login === undefined && (await token?.()) === undefined;
    const itself =
      client.ofProduct && !isAnonymous ? await client.ask({ path: path`/acl/token/self` }) : undefined;
    if (itself?.status === 404 && product === undefined) {
      return itself.failure;
    }
    return itself === undefined || itself.status === 404
      ? // The documented API only has the event stream.
        lookUpByStream(client, isAnonymous)
      : describeToken(itself);
  },
};

function describeToken(response: ProbeResponse): Verdict {
  const { status, body } = response;
  if (/ACL support disabled/i.test(String(body))) {
    return { state: "note", message: "the scheduler does not check tokens: its ACL system is disabled" };
  }
  if (status >= 300 || !isObject(body)) {
    return response.refusal("The token is invalid, revoked or expired.");
  }
  const { Name: name, Type: type, Policies: policies, ExpirationTime: end } = body;
  const parts = [
    typeof name === "string" && name !== "" ? `valid, ${JSON.stringify(name)}` : "valid",
    ...(typeof type === "string" ? [`a ${type} token`] : []),
    ...policiesIn(policies),
    ...(typeof end === "string" ? [`valid until ${end}`] : []),
  ];
  return { state: "ok", message: parts.join(", ") };
}

async function lookUpByStream(client: ProbeClient, isAnonymous: boolean): Promise<Verdict> {
  let response = new ProbeResponse(403, "");
  for (const [subject, topics] of subscriptions) {
    const next = await follow(client, topics);
    if (next === undefined) {
      return {
        state: "warning",
        message: `not verified: the event stream sent nothing within ${client.timeLimit / 1_000} s`,
        advice: "A proxy might be buffering the response: disable response buffering for the event stream.",
        code: "SILENT_STREAM",
      };
    }
    if (next.status < 300) {
      const token = isAnonymous ? "none is set" : "valid";
      return { state: "ok", message: `${token}, can read the event stream of ${subject}` };
    }
    response = next;
    if (!next.isRejected) {
      break;
    }
  }
  return response.refusal(
    isAnonymous
      ? `Set ${nameOfSetting(client.settings, "token")}.`
      : "The token is invalid, revoked or expired, or has access to neither node nor job events.",
  );
}

/** A response that begins like a web page is not a scheduler's stream. */
const page = "<";

/** @returns `undefined` if nothing arrives in time */
async function follow(
  client: ProbeClient,
  topics: readonly string[] | undefined,
): Promise<ProbeResponse | undefined> {
  try {
    const schedulerClient = client.serviceClient as SchedulerClient;
    const response = await schedulerClient.openEventStream({ topics }, 0, client.signal);
    const stream = new WatchedStream(response, client.timeLimit);
    const chunk = await stream.read().finally(() => stream.close());
    if (chunk !== undefined || stream.isIdle) {
      return (
        chunk && new ProbeResponse(200, Buffer.from(chunk).toString().trim().startsWith(page) ? page : {})
      );
    }
    // Newer schedulers start to respond before they check the token.
    return new ProbeResponse(403, "the stream ended without data");
  } catch (error) {
    // Some schedulers do not respond until there is an event.
    if (isUnanswered(error)) {
      return undefined;
    }
    const isPage = ServiceError.isInstance(error) && error.advice?.includes("HTML page") === true;
    if (!ServiceError.isInstance(error) || error.status < 400 || isPage) {
      throw error;
    }
    const { status, messages } = error;
    // Some schedulers reject a token with 500.
    return new ProbeResponse(isRefusal(error) ? 403 : status, messages.join("; "));
  }
}
