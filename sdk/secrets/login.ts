import { isObject } from "../base/json";
import { mountPath, type Path, path } from "../base/path";
import type { LoginProtocol } from "../connection/service";

/** Any method of Vault and OpenBao that needs one request. */
export const secretsLogin: LoginProtocol = {
  request({ path: mount = "", namespace, username, ...parameters }) {
    const inSnakeCase = (name: string): string =>
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const at = path`/auth/${mountPath(mount)}/login`;
    return {
      method: "POST",
      path: username === undefined ? at : path`/auth/${mountPath(mount)}/login/${username}`,
      body: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [inSnakeCase(name), value])),
    };
  },

  grantIn({ auth }) {
    const { client_token: token, lease_duration: seconds, ...more } = isObject(auth) ? auth : {};
    const post = (place: Path) => ({ method: "POST", path: place, body: {} }) as const;
    return {
      token,
      seconds: typeof seconds === "number" ? seconds : 0,
      renew: more.renewable === true ? post(path`/auth/token/renew-self`) : undefined,
      revoke: more.token_type === "batch" ? undefined : post(path`/auth/token/revoke-self`),
    };
  },

  lookUp: { method: "GET", path: path`/auth/token/lookup-self` },
};
