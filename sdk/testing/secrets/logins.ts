import type { Area } from "../area";
import { toMilliseconds } from "../duration";
import type { ServiceResponse } from "../response";
import type { Body } from "./body";
import { writes, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import type { Records } from "./records";
import { badRequest, notImplemented, permissionDenied, Refusal, unknownRoute } from "./refusal";
import type { TokenStore } from "./tokens";
import type { LoginSetup, MountRecord } from "./types";
import type { NewLogin } from "./seeds";

/** The members that a login of any method can send. */
const parameters = ["jwt", "name", "password", "role", "role_id", "secret_id"];

/**
 * For each kind of auth method, the parameter that identifies the user, and its name in the token's metadata.
 */
const methods = [
  { type: "userpass", identity: "username", metadata: "username" },
  { type: "approle", identity: "role_id", metadata: "role_name" },
  { type: "jwt", identity: "role", metadata: "role" },
  { type: "cert", identity: "name", metadata: "cert_name" },
] as const;

export function createLoginsArea(
  records: Records,
  store: TokenStore,
): Area<FixedEndpoint, object, LoginSetup> {
  const { clock, mounts } = records;
  const logins: (NewLogin & { used: number })[] = [];

  /** The entity of the login name, which its first login creates, as in the products. */
  const entityOf = (login: NewLogin, mount: MountRecord, meta: Readonly<Record<string, string>>): string => {
    const { identity } = methodOf(login);
    const name = login.alias ?? login.parameters[identity] ?? login.path;
    const known = records.aliasNamed({ name, mountAccessor: mount.accessor });
    if (known !== undefined) {
      return known.canonicalId;
    }
    const canonicalId = login.entityId ?? records.addEntity().id;
    const metadata = identity === "username" || Object.keys(meta).length === 0 ? null : meta;
    records.addAlias({ name, canonicalId, mountAccessor: mount.accessor, metadata });
    return canonicalId;
  };

  const logIn = ({ parameter, body, caller }: SecretsRequest): ServiceResponse => {
    const path = parameter("*");
    const mount = mounts.loginAt(path);
    if (mount === undefined) {
      throw caller.token === "" || caller.tokenHash === ""
        ? permissionDenied()
        : unknownRoute(`auth/${path}`);
    }
    const mounted = logins.filter((login) => login.path === mount.path);
    const sentName = path.split("/login/")[1];
    // The products fold the names of this method.
    const username = mount.type === "userpass" ? sentName?.toLowerCase() : sentName;
    requireParameters(mount.type, mounted, body);
    const login = mounted.find(
      ({ parameters: { username: expectedName, ...expected }, uses = Infinity, used }) =>
        (mount.type === "userpass" ? expectedName?.toLowerCase() : expectedName) === username &&
        used < uses &&
        Object.entries(expected).every(([name, value]) => body.text(name) === value),
    );
    if (login === undefined) {
      throw refusedLogin(mount.type);
    }
    requireNoMethod(mount, login.entityId);
    login.used += 1;
    const { identity, metadata: key } = methodOf(login);
    const subject = login.parameters[identity];
    const meta =
      login.metadata ?? (subject === undefined || identity === "role_id" ? {} : { [key]: subject });
    const entityId = entityOf(login, mount, meta);
    const prefix = login.path.replaceAll("/", "-");
    const {
      ttl = "1h",
      maxTtl = "768h",
      displayName = username === undefined ? prefix : `${prefix}-${username}`,
      name = displayName,
      ...options
    } = login;
    const rights = store.rightsOf({ policies: [], ...options, entityId, displayName, ttl });
    const origin = {
      path: `auth/${path}`,
      meta,
      orphan: true,
      renewable: true,
      maxEnd: clock.now() + toMilliseconds(maxTtl),
    };
    return store.issue({ rights, origin, name });
  };

  /** @throws Refusal 501 where the products require an MFA method before they issue a token */
  const requireNoMethod = ({ accessor, type }: MountRecord, entityId = ""): void => {
    const isEnforced = records.enforcements
      .all()
      .some(
        ({ authMethodAccessors, authMethodTypes, identityEntityIds }) =>
          authMethodAccessors.includes(accessor) ||
          authMethodTypes.includes(type) ||
          identityEntityIds.includes(entityId),
      );
    if (isEnforced) {
      throw notImplemented("a login with MFA");
    }
  };

  return {
    endpoints: records.traits.hasProductPaths ? [writes("/login/*", parameters, logIn)] : [],
    setup: {
      addLogin(login) {
        if (login.entityId !== undefined) {
          records.entities.get(login.entityId);
        }
        if (mounts.login(login.path) === undefined) {
          mounts.add({ type: methodOf(login).type, path: `auth/${login.path}` });
        }
        logins.push({ ...login, used: 0 });
      },
    },
    inspect: () => ({}),
  };
}

function methodOf({ parameters: expected }: NewLogin): (typeof methods)[number] {
  const [, , jwt] = methods;
  return methods.find(({ identity }) => identity in expected) ?? jwt;
}

/** Each method has its own errors, some of which are failures of the product. */
function requireParameters(type: string, candidates: readonly NewLogin[], body: Body): void {
  const [needed] = { userpass: ["password"], approle: ["role_id"] }[type] ?? [];
  if (needed !== undefined && (body.text(needed) ?? "") === "") {
    throw new Refusal(500, [`missing ${needed}`]);
  }
  const named = (name: string): boolean =>
    candidates.some(({ parameters: expected }) => (expected[name] ?? body.text(name)) === body.text(name));
  if (type === "approle" && named("role_id") && (body.text("secret_id") ?? "") === "") {
    throw badRequest("missing secret_id");
  }
  if (type === "jwt" && !named("role")) {
    throw badRequest(`role ${JSON.stringify(body.text("role") ?? "")} could not be found`);
  }
}

function refusedLogin(type: string): Refusal {
  if (!methods.some((method) => method.type === type)) {
    return notImplemented(`logins of the method ${type} that the seed does not name`);
  }
  const errors: Readonly<Record<string, string>> = {
    userpass: "invalid username or password",
    approle: "invalid role or secret ID",
  };
  return badRequest(errors[type] ?? "error validating token: invalid claims");
}
