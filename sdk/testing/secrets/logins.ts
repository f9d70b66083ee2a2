import type { Area } from "../area";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import type { ServiceResponse } from "../response";
import type { Tokens } from "../tokens";
import { writes, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import type { Records } from "./records";
import { badRequest, permissionDenied, type Refusal } from "./refusal";
import { dataResponse } from "./responses";
import type { SecretsPermissions } from "./rights";
import type { LoginSetup, NewLogin, SecretsTokenOptions } from "./types";

/** What a login of any method may send. */
const parameters = ["jwt", "name", "password", "role", "role_id", "secret_id"];

interface OpenToken {
  readonly maxEnd: number;
  stopTimer(): void;
}

export function createLoginsArea(
  records: Records,
  tokens: Tokens<SecretsPermissions>,
  rightsOf: (options: SecretsTokenOptions) => SecretsPermissions,
): Area<FixedEndpoint, object, LoginSetup> {
  const { clock, leases } = records;
  const logins: (NewLogin & { readonly entityId: string; used: number })[] = [];
  const open = new Map<string, OpenToken>();

  const revoke = (token: string): void => {
    const caller = tokens.find(token);
    open.get(token)?.stopTimer();
    open.delete(token);
    if (caller !== undefined) {
      tokens.revoke(token);
      leases.revokeWhere(({ parent }) => parent === caller.tokenHash);
    }
  };
  const revokeWhenExpired = (
    token: string,
    { expiresAt = Number.POSITIVE_INFINITY }: SecretsPermissions,
  ): (() => void) => clock.after(expiresAt - clock.now(), () => revoke(token));

  const logIn = ({ parameter, body }: SecretsRequest): ServiceResponse => {
    const path = parameter("*");
    const mounted = logins.filter(
      (login) => path === `${login.path}/login` || path.startsWith(`${login.path}/login/`),
    );
    if (mounted.length === 0) {
      throw permissionDenied();
    }
    const username = path.split("/login/")[1];
    const login = mounted.find(
      ({ parameters: { username: expectedName, ...expected }, uses = Infinity, used }) =>
        expectedName === username &&
        used < uses &&
        Object.entries(expected).every(([name, value]) => body.text(name) === value),
    );
    if (login === undefined) {
      throw refusedLogin(username, body.has("role_id"));
    }
    login.used += 1;
    const { ttl = "1h", maxTtl = "768h", displayName = login.path, name, ...options } = login;
    const rights = rightsOf({ policies: ["default"], ...options, displayName, ttl });
    rights.loginPath = `auth/${path}`;
    const token = tokens.add({ name: name ?? displayName }, rights);
    const maxEnd = clock.now() + toMilliseconds(maxTtl);
    open.set(token, { maxEnd, stopTimer: revokeWhenExpired(token, rights) });
    return tokenResponse(token, tokens.find(token)?.tokenHash ?? "", rights, clock);
  };

  const renew = ({ caller }: SecretsRequest): ServiceResponse => {
    const { token, tokenHash, rights } = caller;
    const known = open.get(token);
    if (known === undefined) {
      throw badRequest("lease is not renewable");
    }
    known.stopTimer();
    rights.expiresAt = Math.min(clock.now() + rights.ttl * 1_000, known.maxEnd);
    open.set(token, { ...known, stopTimer: revokeWhenExpired(token, rights) });
    return tokenResponse(token, tokenHash, rights, clock);
  };

  const endpoints = [
    writes("/auth/*", parameters, logIn),
    writes("/auth/token/renew-self", ["increment"], renew),
    writes("/auth/token/revoke-self", [], ({ caller }: SecretsRequest) => {
      revoke(caller.token);
      return undefined;
    }),
  ];
  return {
    endpoints: records.isHashicorp ? endpoints : [],
    setup: {
      addLogin(login) {
        const entityId = login.entityId ?? records.addEntity().id;
        logins.push({ ...login, entityId, used: 0 });
      },
    },
    inspect: () => ({}),
  };
}

function tokenResponse(
  token: string,
  tokenHash: string,
  { policies, entityId, expiresAt = 0 }: SecretsPermissions,
  clock: EmulatorClock,
): ServiceResponse {
  const auth = {
    client_token: token,
    accessor: tokenHash.slice(0, 24),
    policies,
    token_policies: policies,
    metadata: {},
    lease_duration: Math.round((expiresAt - clock.now()) / 1_000),
    renewable: true,
    entity_id: entityId ?? "",
    token_type: "service",
    orphan: true,
    mfa_requirement: null,
    num_uses: 0,
  };
  return dataResponse(null, { auth });
}

/** Each method has its own error. */
function refusedLogin(username: string | undefined, isApprole: boolean): Refusal {
  if (username !== undefined) {
    return badRequest("invalid username or password");
  }
  return badRequest(isApprole ? "invalid role or secret ID" : "error validating token: invalid claims");
}
