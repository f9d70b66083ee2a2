import { isObject } from "../base/json";
import { mountPath, path } from "../base/path";
import {
  codeOf,
  describeResponse,
  inWords,
  type Lookup,
  policiesIn,
  type Probe,
  type Question,
  type ProbeClient,
  sayingOf,
} from "../connection/probe";
import type { HttpResponse } from "../http/transport";
import { secretsDialects } from "./dialect";
import { aliasIds } from "./identity/entity-alias";
import { methods } from "./mfa/totp-method";
import { contentOf } from "./response";
import { secretsService } from "./service";

/** In seconds: a token with less may expire during a long deployment. */
const shortestLife = 3_600;
const list = { list: true };

interface Health {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly version: string;
}

export const secretsProbe: Probe = {
  service: secretsService,
  first: {
    path: path`/sys/health`,
    // Standby servers are healthy too.
    query: { standbyok: true, perfstandbyok: true },
    headers: secretsDialects.hashicorp.requestHeaders,
  },
  documented: { path: aliasIds, query: list },

  recognize(response) {
    const version = healthIn(response)?.version;
    return version === undefined
      ? undefined
      : { name: version.includes("+ent") ? "Vault Enterprise" : "Vault or OpenBao", version };
  },

  isServiceResponse: (response) => healthIn(response) !== undefined || listsErrors(response),

  unusable(first) {
    const health = healthIn(first);
    if (health === undefined || (health.initialized && !health.sealed)) {
      return undefined;
    }
    const [state, verb, code] = health.initialized
      ? ["sealed", "unseal", "SEALED"]
      : ["not initialized", "initialize", "NOT_INITIALIZED"];
    return {
      message: `the service is ${state}`,
      advice: `An operator must ${verb} the service.`,
      code,
    };
  },

  async lookUp(questions) {
    const itself = questions.ofProduct ? await questions.get(path`/auth/token/lookup-self`) : undefined;
    if (itself?.status === 200) {
      return describeToken(itself, questions.settings.login !== undefined);
    }
    // The token may not be allowed to look itself up, and the documentation has no lookup: one list suffices.
    const { schedulerMount } = secretsDialects[questions.settings.dialect];
    const lists: readonly (readonly [what: string, Question])[] = [
      ["entity aliases", { path: aliasIds, query: list }],
      ["TOTP methods", { path: methods, query: list }],
      ["static roles of ldap", staticRoles("ldap", questions)],
      [`roles of ${schedulerMount}`, { path: path`/${mountPath(schedulerMount)}/role`, query: list }],
    ];
    let refusal = itself;
    for (const [what, { path: place, query }] of lists) {
      const response = await questions.get(place, query);
      const { status } = response;
      if (isAllowed(response)) {
        return { state: "ok", message: `valid, may list ${what}` };
      }
      if (status !== 401 && status !== 403) {
        // Only a valid token gets a 404 for an engine that is not mounted.
        return status === 404
          ? { state: "ok", message: "valid" }
          : { state: "warning", message: describeResponse(response), code: codeOf(response) };
      }
      refusal ??= response;
    }
    const reason = "The token is invalid, revoked or expired, or has no permissions.";
    return { refusal: refusal ?? { status: 403, body: "" }, reason };
  },

  named: {
    mount: (name, questions) => ({
      name,
      requests: [staticRoles(name, questions), { path: path`/${mountPath(name)}/role`, query: list }],
      advice:
        "Name the mount of a directory or scheduler engine, and give the token a policy that allows to list its roles.",
    }),
  },

  isAllowed,
};

/** Documented as a plain `GET`. */
function staticRoles(mount: string, { ofProduct }: ProbeClient): Question {
  return { path: path`/${mountPath(mount)}/static-role`, query: ofProduct ? list : {} };
}

/** The service returns 404 without a message for an empty list. */
function isAllowed(response: HttpResponse): boolean {
  const { status, body } = response;
  return status < 300 || (status === 404 && isObject(body) && sayingOf(response) === "");
}

/** Errors are strings here, and objects in other services. */
function listsErrors({ body }: HttpResponse): boolean {
  const errors: unknown = isObject(body) ? body.errors : undefined;
  return Array.isArray(errors) && errors.every((error) => typeof error === "string");
}

function healthIn({ body }: HttpResponse): Health | undefined {
  if (!isObject(body)) {
    return undefined;
  }
  const { initialized, sealed, version } = body;
  return typeof initialized === "boolean" && typeof sealed === "boolean" && typeof version === "string"
    ? { initialized, sealed, version }
    : undefined;
}

/** @param isOfLogin the token is renewed, or replaced by the next login */
function describeToken(response: HttpResponse, isOfLogin: boolean): Lookup {
  const { data } = contentOf(response);
  const { display_name: name, policies, ttl, expire_time: end } = isObject(data) ? data : {};
  const ends = typeof ttl === "number" && ttl > 0 ? ttl : undefined;
  const message = [
    typeof name === "string" && name !== "" ? `valid, belongs to ${name}` : "valid",
    ...policiesIn(policies),
    ends === undefined ? "does not expire" : `expires in ${inWords(ends)}`,
    ...(isOfLogin && typeof end === "string" ? [`valid until ${end}`] : []),
  ].join(", ");
  return ends !== undefined && ends < shortestLife && !isOfLogin
    ? {
        state: "warning",
        message,
        advice: "Operations that take longer will fail: use a token with a longer TTL, or renew it.",
        code: "ENDS_SOON",
      }
    : { state: "ok", message };
}
