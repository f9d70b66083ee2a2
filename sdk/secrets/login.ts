import { TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { mountPath, path } from "../base/path";
import type { LoginProtocol } from "../connection/login/protocol";

/** How Vault and OpenBao let somebody log in, with any method that needs one request. */
export const secretsLogin: LoginProtocol = {
  describe: ({ path: mount = "" }) => `the login at auth/${mount}`,

  request({ path: mount = "", namespace, username, ...parameters }) {
    const at = path`/auth/${mountPath(mount)}/login`;
    const body = Object.entries(parameters).map(([name, value]) => [inSnakeCase(name), value]);
    return {
      method: "POST",
      path: username === undefined ? at : path`/auth/${mountPath(mount)}/login/${username}`,
      body: Object.fromEntries(body) as object,
    };
  },

  grantIn({ body, request }) {
    const auth = isObject(body) ? body.auth : undefined;
    const { client_token: token, lease_duration: seconds, ...more } = isObject(auth) ? auth : {};
    if (typeof token !== "string" || token === "") {
      const why = isObject(more.mfa_requirement) ? ": the login requires MFA" : "";
      throw new TriviumError(`Could not log in to the secrets service: ${request} returned no token${why}.`);
    }
    return {
      token,
      seconds: typeof seconds === "number" ? seconds : 0,
      renewable: more.renewable === true,
      revocable: more.token_type !== "batch",
    };
  },

  lookUp: { method: "GET", path: path`/auth/token/lookup-self` },
  renew: { method: "POST", path: path`/auth/token/renew-self`, body: {} },
  revoke: { method: "POST", path: path`/auth/token/revoke-self`, body: {} },
};

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
