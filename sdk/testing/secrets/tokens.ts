import type { Area } from "../area";
import { toMilliseconds } from "../duration";
import type { ServiceResponse } from "../response";
import { type Caller, newIdentifier, type Tokens } from "../tokens";
import { reads, writes, productArea, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import { cappedTtl, type Ttl } from "./leases";
import type { Body } from "./body";
import type { Policies } from "./policies";
import type { Records } from "./records";
import { badRequest, notImplemented, Refusal } from "./refusal";
import { dataResponse } from "./responses";
import type { SecretsPermissions, TokenOrigin } from "./rights";
import type { SecretsTokenOptions } from "./seeds";

export interface NewToken {
  readonly rights: SecretsPermissions;
  readonly origin: TokenOrigin;
  readonly name: string;
  /** Default: a random one. */
  readonly token?: string | undefined;
  readonly warnings?: readonly string[];
}

/**
 * Tokens that the service issued on request: by a login, or as children of others. They expire with what they
 * depend on.
 */
export class TokenStore {
  /** Stop the timers of the tokens. */
  private readonly issued = new Map<string, () => void>();

  constructor(
    private readonly records: Records,
    readonly tokens: Tokens<SecretsPermissions>,
    readonly rightsOf: (options: SecretsTokenOptions) => SecretsPermissions,
  ) {
    records.onUnmounted((key) => {
      this.revokeWhere(({ rights }) => rights.origin.path.startsWith(`${key}/`));
    });
  }

  issue({ rights, origin, name, token: given, warnings = [] }: NewToken): ServiceResponse {
    rights.origin = origin;
    const token = this.tokens.add({ name, token: given ?? newIdentifier("s.", 24) }, rights);
    this.arm(token, rights);
    return this.response(token, warnings);
  }

  renew(token: string, increment: number): ServiceResponse {
    const { rights } = this.tokens.find(token) ?? {};
    if (rights === undefined) {
      throw badRequest("token not found");
    }
    if (!rights.origin.renewable || !this.issued.has(token)) {
      throw badRequest("lease is not renewable");
    }
    const { clock } = this.records;
    const { period = 0 } = rights.origin;
    // Without an increment, the last one counts again.
    rights.increment = increment || rights.increment;
    const { ttl, warnings } = cappedTtl(
      period || rights.increment || rights.ttl,
      (rights.origin.maxEnd - clock.now()) / 1_000,
    );
    rights.expiresAt = clock.now() + ttl * 1_000;
    this.arm(token, rights);
    return this.response(token, warnings);
  }

  /** Also revokes its children and leases. */
  revoke(token: string, keepsChildren = false): void {
    const caller = this.tokens.find(token);
    this.issued.get(token)?.();
    this.issued.delete(token);
    if (caller !== undefined) {
      this.tokens.revoke(token);
      this.records.leases.revokeWhere(({ parent }) => parent === caller.tokenHash);
      this.revokeWhere(({ rights: { origin } }) => !keepsChildren && origin.parent === caller.tokenHash);
    }
  }

  private revokeWhere(matches: (caller: Caller<SecretsPermissions>) => boolean): void {
    for (const token of this.issued.keys()) {
      const caller = this.tokens.find(token);
      if (caller !== undefined && matches(caller)) {
        this.revoke(token);
      }
    }
  }

  private arm(token: string, { expiresAt }: SecretsPermissions): void {
    const { clock } = this.records;
    this.issued.get(token)?.();
    const stop =
      expiresAt === undefined
        ? () => undefined
        : clock.after(expiresAt - clock.now(), () => this.revoke(token));
    this.issued.set(token, stop);
  }

  private response(token: string, warnings: readonly string[]): ServiceResponse {
    const { rights, tokenHash = "" } = this.tokens.find(token) ?? {};
    const { policies = [], identityPolicies = [], entityId, expiresAt, origin } = rights ?? {};
    const { clock } = this.records;
    const auth = {
      client_token: token,
      accessor: accessorOf(tokenHash),
      policies: [...new Set([...policies, ...identityPolicies])].sort(),
      token_policies: policies,
      ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
      metadata: origin?.meta ?? null,
      lease_duration: expiresAt === undefined ? 0 : Math.round((expiresAt - clock.now()) / 1_000),
      renewable: origin?.renewable ?? false,
      entity_id: entityId ?? "",
      token_type: "service",
      orphan: origin?.orphan ?? true,
      mfa_requirement: null,
      num_uses: 0,
    };
    return dataResponse(null, { auth, warnings });
  }
}

const path = "/auth/token";
const longestTtl = toMilliseconds("768h") / 1_000;
/** Tokens for wrapped responses, which are not in the store. */
interface TokensOfResponses {
  readonly describe: (token: string) => ServiceResponse | undefined;
  readonly discard: (token: string) => unknown;
}

/** The products' own clients always send an alias, a number of uses and a type. */
const newTokenFields = (
  "display_name entity_alias explicit_max_ttl id meta no_default_policy no_parent num_uses period policies " +
  "renewable ttl type"
).split(" ");

/** Of OpenBao 2.6.2: vault/token_store.go. */
const customIdWarning =
  "Supplying a custom ID for the token uses the weaker SHA1 hashing instead of the more secure SHA2-256 HMAC for " +
  "token obfuscation. SHA1 hashed tokens on the wire leads to less secure lookups.";

export function createTokensArea(
  records: Records,
  store: TokenStore,
  wrapping: TokensOfResponses,
  policies: Policies,
): Area<FixedEndpoint, object, object> {
  const { tokens } = store;
  const rightsKnow = (name: string): boolean =>
    ["default", "root"].includes(name) || policies.find(name) !== undefined;
  const create =
    (isOrphan: boolean) =>
    ({ caller, body }: SecretsRequest): ServiceResponse => {
      const parent = caller.rights;
      const isRoot = parent.policies.includes("root");
      const given = body.strings("policies") ?? [];
      const sent = given.filter((name) => name !== "");
      const withDefault = body.boolean("no_default_policy") !== true;
      const isRenewable = body.boolean("renewable") !== false;
      const policies = given.length === 0 ? parent.policies : policiesOf(sent, withDefault);
      requireServed(body);
      if (policies.includes("response-wrapping")) {
        throw badRequest('cannot assign policy "response-wrapping"');
      }
      if (!isRoot && policies.some((name) => name !== "default" && !parent.policies.includes(name))) {
        throw badRequest("child policies must be subset of parent");
      }
      const token = body.text("id") || undefined;
      if (token?.includes(".") === true) {
        throw badRequest("custom token ID cannot have a '.' in the value");
      }
      if (tokens.find(token) !== undefined) {
        throw badRequest("cannot create a token with a duplicate ID");
      }
      const period = body.duration("period") ?? 0;
      if (period > 0 && !isRoot) {
        throw badRequest("root or sudo privileges required to create periodic token");
      }
      const explicitMaxTtl = body.duration("explicit_max_ttl") ?? 0;
      // A root token also expires at the limit that was set for it.
      const usual = policies.includes("root") ? explicitMaxTtl : longestTtl;
      const requested = period || body.duration("ttl") || usual;
      const more = [
        ...(token === undefined ? [] : [customIdWarning]),
        ...policies
          .filter((name) => !rightsKnow(name))
          .map((name) => `Policy ${JSON.stringify(name)} does not exist`),
      ];
      const { ttl, warnings }: Ttl = cappedTtl(requested, Math.min(longestTtl, explicitMaxTtl || longestTtl));
      const displayName = `token-${body.text("display_name") ?? ""}`;
      const rights = parent.child({
        // In the products' format.
        displayName: displayName.replace(/[^a-zA-Z0-9-]/g, "-").replace(/-$/, ""),
        policies,
        ttl: ttl * 1_000,
        issuedAt: records.clock.now(),
      });
      const orphan = isOrphan || body.boolean("no_parent") === true;
      const origin: TokenOrigin = {
        path: `auth/token/create${isOrphan ? "-orphan" : ""}`,
        meta: body.map("meta") ?? null,
        orphan,
        renewable: ttl > 0 && isRenewable,
        maxEnd: records.clock.now() + (explicitMaxTtl || (period > 0 ? Infinity : longestTtl)) * 1_000,
        explicitMaxTtl,
        period,
        parent: orphan ? undefined : caller.tokenHash,
      };
      return store.issue({
        rights,
        origin,
        name: rights.displayName,
        token,
        warnings: [...warnings, ...more],
      });
    };
  const describe = (token: string): ServiceResponse => {
    const { rights, tokenHash } = tokens.find(token) ?? unknownToken();
    const { displayName, entityId, issuedAt, expiresAt, ttl, policies, identityPolicies, origin } = rights;
    return dataResponse({
      accessor: accessorOf(tokenHash),
      creation_time: Math.floor(issuedAt / 1_000),
      creation_ttl: ttl,
      display_name: displayName,
      entity_id: entityId ?? "",
      expire_time: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      explicit_max_ttl: origin.explicitMaxTtl ?? 0,
      id: token,
      ...(identityPolicies.length === 0 ? {} : { identity_policies: identityPolicies }),
      issue_time: new Date(issuedAt).toISOString(),
      meta: origin.meta,
      num_uses: 0,
      orphan: origin.orphan,
      path: origin.path,
      ...(origin.period ? { period: origin.period } : {}),
      policies,
      renewable: origin.renewable,
      ttl: expiresAt === undefined ? 0 : Math.floor((expiresAt - records.clock.now()) / 1_000),
      type: "service",
    });
  };
  const lookUp = ({ body, caller }: SecretsRequest) => {
    const token = body.text("token") || caller.token;
    return wrapping.describe(token) ?? describe(token);
  };
  return productArea(records, [
    writes(`${path}/create`, newTokenFields, create(false)),
    writes(`${path}/create-orphan`, newTokenFields, create(true)),
    reads(`${path}/lookup-self`, ({ caller }) => describe(caller.token)),
    writes(`${path}/revoke-orphan`, ["token"], ({ body }) => {
      const token = requiredToken(body);
      if (tokens.find(token) === undefined) {
        throw badRequest("token to revoke not found");
      }
      store.revoke(token, true);
      return undefined;
    }),
    reads(`${path}/lookup`, lookUp, ["token"]),
    writes(`${path}/lookup`, ["token"], lookUp),
    writes(`${path}/lookup-self`, [], ({ caller }) => describe(caller.token)),
    // Each with the token in the body, or with the caller's own token.
    ...[["token"], []].flatMap((fields) => {
      const end = fields.length === 0 ? "-self" : "";
      const tokenIn = ({ body, caller }: SecretsRequest) => (end === "" ? requiredToken(body) : caller.token);
      return [
        writes(`${path}/renew${end}`, ["increment", ...fields], (request: SecretsRequest) =>
          store.renew(tokenIn(request), request.body.duration("increment") ?? 0),
        ),
        writes(`${path}/revoke${end}`, fields, (request: SecretsRequest) => {
          const token = tokenIn(request);
          wrapping.discard(token);
          store.revoke(token);
          return undefined;
        }),
      ];
    }),
  ]);
}

/** @throws Refusal 400 for what the product acts on but the emulator does not implement */
function requireServed(body: Body): void {
  const uses = body.integer("num_uses") ?? 0;
  if (uses < 0) {
    throw badRequest("number of uses cannot be negative");
  }
  const type = body.text("type") ?? "";
  if (!["", "service", "default", "batch"].includes(type)) {
    throw badRequest(`invalid 'type' value`);
  }
  const unserved = [
    [uses > 0, "num_uses"],
    [type === "batch", "tokens of the type batch"],
    [(body.text("entity_alias") ?? "") !== "", "entity_alias"],
  ] as const;
  for (const [isAsked, what] of unserved) {
    if (isAsked) {
      throw notImplemented(what);
    }
  }
}

function requiredToken(body: Body): string {
  const token = body.text("token") ?? "";
  if (token === "") {
    throw badRequest("missing token ID");
  }
  return token;
}

function accessorOf(tokenHash: string): string {
  return tokenHash.slice(0, 24);
}

/** In lower case, sorted and without duplicates, as in responses. */
export function policiesOf(given: readonly string[], withDefault: boolean): string[] {
  const sent = given.map((name) => name.toLowerCase());
  const isAll = sent.includes("root") || !withDefault;
  return [...new Set(isAll ? sent : ["default", ...sent])].sort();
}

function unknownToken(): never {
  throw new Refusal(403, ["bad token"]);
}
