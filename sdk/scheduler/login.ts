import { path } from "../base/path";
import type { LoginProtocol } from "../connection/login/protocol";

/** Nomad neither renews such a token nor lets it revoke itself. */
export const schedulerLogin: LoginProtocol = {
  request: ({ method: AuthMethodName = "", jwt: LoginToken = "" }) => ({
    method: "POST",
    path: path`/acl/login`,
    body: { AuthMethodName, LoginToken },
  }),

  grantIn({ SecretID: token, CreateTime, ExpirationTime }) {
    // Both times are from the scheduler's clock, which may differ from ours.
    const life = Date.parse(String(ExpirationTime)) - Date.parse(String(CreateTime));
    const seconds = Number.isNaN(life) ? 0 : Math.max(1, Math.floor(life / 1000));
    return { token, seconds };
  },

  lookUp: { method: "GET", path: path`/acl/token/self` },
};
