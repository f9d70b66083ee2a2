import { TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { path } from "../base/path";
import type { LoginProtocol } from "../connection/login/protocol";

/** How Nomad lets somebody log in. It neither renews such a token nor lets it revoke itself. */
export const schedulerLogin: LoginProtocol = {
  describe: ({ method = "" }) => `the login with the auth method ${method}`,

  request: ({ method: AuthMethodName = "", jwt: LoginToken = "" }) => ({
    method: "POST",
    path: path`/acl/login`,
    body: { AuthMethodName, LoginToken },
  }),

  grantIn({ body, request }) {
    const { SecretID: token, CreateTime, ExpirationTime } = isObject(body) ? body : {};
    if (typeof token !== "string" || token === "") {
      throw new TriviumError(`Could not log in to the scheduler: ${request} returned no token.`);
    }
    // Both are times of the scheduler's clock.
    const life = Date.parse(String(ExpirationTime)) - Date.parse(String(CreateTime));
    const seconds = Number.isNaN(life) ? 0 : Math.max(1, Math.floor(life / 1000));
    return { token, seconds, renewable: false, revocable: false };
  },

  lookUp: { method: "GET", path: path`/acl/token/self` },
};
