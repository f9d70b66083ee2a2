import { isObject } from "../base/json";
import { mountPath, path } from "../base/path";
import { policiesIn, type Probe, type ProbeRequest, ProbeResponse, type Verdict } from "../connection/probe";
import { secretsDialects } from "./dialect";
import { aliases } from "./identity/entity-alias";
import { totpMethods } from "./mfa/totp-method";
import { saysAbsence } from "./absence";
import { contentOf } from "./client";
import { secretsService } from "./service";

/** In seconds. A token with a shorter lifetime might expire during a long deployment. */
const shortestLife = 3_600;
const list = { list: true };

export const secretsProbe: Probe = {
  service: secretsService,
  naming: {
    path: path`/sys/health`,
    // Standby servers are healthy too.
    query: { standbyok: true, perfstandbyok: true },
    headers: secretsDialects.hashicorp.requestHeaders,
  },
  documented: (client) => client.ask({ path: aliases.path, query: list }),

  identify({ body }) {
    const { initialized, sealed, standby, version } = isObject(body) ? body : {};
    if (typeof initialized !== "boolean" || typeof sealed !== "boolean" || typeof version !== "string") {
      return saysAbsence(body) ? {} : undefined;
    }
    const product = { name: version.includes("+ent") ? "Vault Enterprise" : "Vault or OpenBao", version };
    const code = initialized ? "SEALED" : "NOT_INITIALIZED";
    const message = `the service is ${code.toLowerCase().replace("_", " ")}`;
    const advice = "An operator must initialize or unseal it.";
    const problem = { state: "problem", message, advice, code } as const;
    const remark = {
      state: "warning",
      message: "a standby server",
      advice:
        "If it redirects requests instead of forwarding them, operations fail, because redirects are not followed: set the " +
        "address to the active server, or to a load balancer that leads to it.",
      code: "STANDBY",
    } as const;
    return {
      product,
      ...(standby === true ? { remark } : {}),
      problem: initialized && !sealed ? undefined : problem,
    };
  },

  async lookUp(client, product) {
    const itself = client.ofProduct ? await client.ask({ path: path`/auth/token/lookup-self` }) : undefined;
    if (itself?.status === 200) {
      return describeToken(itself.body, client.settings.login !== undefined);
    }
    if (itself?.status === 404 && product === undefined) {
      return itself.failure;
    }
    // The token might not be allowed to look itself up, and there is no documented lookup, so one list is
    // enough.
    const { schedulerMount } = secretsDialects[client.settings.dialect];
    const lists: readonly (readonly [what: string, ProbeRequest])[] = [
      ["entity aliases", { path: aliases.path, query: list }],
      ["TOTP methods", { path: totpMethods.path, query: list }],
      // Documented as a plain `GET`.
      ["static roles of ldap", { path: path`/ldap/static-role`, query: client.ofProduct ? list : {} }],
      [`roles of ${schedulerMount}`, { path: path`/${mountPath(schedulerMount)}/role`, query: list }],
    ];
    let response = new ProbeResponse(403, "");
    for (const [what, request] of lists) {
      response = await client.ask(request);
      const { status, body } = response;
      const isMissing = status === 404 && saysAbsence(body);
      // Empty lists are missing too.
      if (status < 300 || (isMissing && response.description === "returned 404")) {
        return { state: "ok", message: `valid, can list ${what}` };
      }
      if (isMissing) {
        // Only a valid token gets it for an engine that is not mounted.
        return { state: "ok", message: "valid" };
      }
      if (status !== 404 && !response.isRejected) {
        break;
      }
    }
    return response.status === 404
      ? {
          ...response.failure,
          state: "warning",
          message: `not verified: it ${response.description}`,
        }
      : response.refusal("The token is invalid, revoked or expired, or has no permissions.");
  },
};

/** @param isOfLogin whether the token comes from a login, which renews or replaces it */
function describeToken(body: unknown, isOfLogin: boolean): Verdict {
  const { data } = contentOf({ body });
  const { display_name: name, policies, ttl, expire_time: end } = isObject(data) ? data : {};
  const message = [
    typeof name === "string" && name !== "" ? `valid, belongs to ${name}` : "valid",
    ...policiesIn(policies),
    typeof end === "string" ? `valid until ${end}` : "does not expire",
  ].join(", ");
  const endsSoon = typeof ttl === "number" && ttl > 0 && ttl < shortestLife && !isOfLogin;
  return endsSoon
    ? {
        state: "warning",
        message,
        advice: "Operations that take longer will fail: use a token with a longer TTL, or renew it.",
        code: "ENDS_SOON",
      }
    : { state: "ok", message };
}
