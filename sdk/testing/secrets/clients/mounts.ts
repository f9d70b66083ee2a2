import type { Area } from "../../area";
import { isObject } from "../../../base/json";
import { type Body, wholeSeconds } from "../body";
import { deletes, reads, writes, productArea, type FixedEndpoint } from "../endpoint";
import { type Mount, type MountDetails, noDetails, systemTtl } from "../mounts";
import type { Records } from "../records";
import { badRequest, notImplemented } from "../refusal";
import { flatResponse } from "../responses";

/** What can be mounted, and what is mounted from the start. */
const kinds = {
  mounts: {
    types: "ldap nomad",
    missing: "No secret engine mount",
    builtIn: { "cubbyhole/": "cubbyhole", "identity/": "identity", "sys/": "system" },
  },
  auth: {
    types: "approle cert jwt kerberos kubernetes ldap oidc radius userpass",
    missing: "No auth engine",
    builtIn: { "token/": "token" },
  },
} as const;

/** Returned once they are set. */
const tunable = (
  "allowed_response_headers audit_non_hmac_request_keys audit_non_hmac_response_keys force_no_cache " +
  "listing_visibility passthrough_request_headers token_type"
).split(" ");
/** Those of them that are sent as strings. */
const lists = new Set(tunable.filter((name) => /_(?:headers|keys)$/.test(name)));
const fields = (
  "config default_lease_ttl description external_entropy_access local max_lease_ttl options plugin_version " +
  `seal_wrap type user_lockout_config ${tunable.join(" ")}`
).split(" ");
const tuneEnd = /\/tune$/;

/** The documentation has no endpoints for mounts. */
export function createMountsArea(records: Records): Area<FixedEndpoint, object, object> {
  return productArea(records, [...endpointsOf("mounts", records), ...endpointsOf("auth", records)]);
}

function endpointsOf(kind: keyof typeof kinds, records: Records): FixedEndpoint[] {
  const { mounts } = records;
  const { types, missing, builtIn } = kinds[kind];
  const isAuth = kind === "auth";
  const root = `/sys/${kind}`;
  const keyOf = (path: string): string => (isAuth ? `auth/${path}` : path);
  /** Those of the kind; `tune` also takes auth methods below `sys/mounts`. */
  const find = (path: string): Mount | undefined => {
    const mount = mounts.at(keyOf(path));
    return (mount?.engine === undefined) === isAuth ? mount : undefined;
  };
  const requireTunable = (path: string): Mount => {
    const mount = mounts.at(keyOf(path));
    if (mount === undefined) {
      throw badRequest(`tune of path ${JSON.stringify(`${keyOf(path)}/`)} failed: no mount entry found`);
    }
    return mount;
  };
  const tune = (mount: Mount, change: MountChange): void => {
    const { defaultTtl, maxTtl, config } = { ...mount.details, ...change };
    const most = maxTtl || systemTtl;
    if (defaultTtl > most) {
      throw badRequest(
        `backend max lease TTL of ${most} would be less than backend default lease TTL of ${defaultTtl}`,
      );
    }
    mounts.tune(mount, { ...change, config: { ...mount.details.config, ...config } });
  };
  const create = (path: string, body: Body): void => {
    const type = body.text("type") ?? "";
    if (type === "") {
      throw badRequest("backend type must be specified as a string");
    }
    if (!isAuth && /^(?:auth|cubbyhole|identity|sys)(?:\/|$)/.test(path)) {
      throw badRequest(`cannot mount ${JSON.stringify(`${path}/`)}`);
    }
    const config = body.any("config") ?? {};
    if (!isObject(config)) {
      throw badRequest(
        'Field validation failed: error converting input for field "config": expected an object',
      );
    }
    const change = {
      ...readConfig({ ...config, plugin_version: body.any("plugin_version") }, isAuth),
      ...readDescription(body),
      local: body.boolean("local") ?? false,
      sealWrap: body.boolean("seal_wrap") ?? false,
      externalEntropyAccess: body.boolean("external_entropy_access") ?? false,
    };
    const { defaultTtl = 0, maxTtl = 0 } = change;
    if (maxTtl > 0 && defaultTtl > maxTtl) {
      throw badRequest("given default lease TTL greater than given max lease TTL");
    }
    if (`${path}/` in builtIn) {
      throw badRequest(`path is already in use at ${path}/`);
    }
    if (!types.split(" ").includes(type)) {
      throw badRequest(`plugin not found in the catalog: ${type}`);
    }
    const taken = mounts.conflicting(keyOf(path));
    if (taken !== undefined) {
      throw badRequest(`path is already in use at ${isAuth ? taken.replace("auth/", "") : taken}/`);
    }
    mounts.add({ type, path: keyOf(path) });
    tune(requireTunable(path), change);
  };
  return [
    reads(root, () => {
      const own = Object.entries(builtIn).map(([path, type]) => [
        path,
        describe({ type, accessor: `${isAuth ? "auth_" : ""}${type}_00000000`, details: noDetails, isAuth }),
      ]);
      const others = mounts
        .all()
        .flatMap(({ path }) => find(path) ?? [])
        .map((mount) => [`${mount.record.path}/`, describe({ ...mount, ...mount.record, isAuth })]);
      return flatResponse(Object.fromEntries([...own, ...others]) as Record<string, unknown>);
    }),
    reads(`${root}/*`, ({ parameter }) => {
      const path = parameter("*").replace(tuneEnd, "");
      const isTuning = path !== parameter("*");
      const mount = mounts.at(keyOf(path));
      if (mount === undefined) {
        throw badRequest(
          isTuning ? `cannot fetch sysview for path "${keyOf(path)}/"` : `${missing} at ${path}/`,
        );
      }
      const all = { ...mount, ...mount.record, isAuth: mount.engine === undefined };
      return flatResponse(isTuning ? describeTuning(all) : describe(all));
    }),
    writes(`${root}/*`, fields, ({ parameter, body }) => {
      const path = parameter("*").replace(tuneEnd, "");
      if (path === parameter("*")) {
        create(path, body);
        return;
      }
      const sent = fields.flatMap((name) => (body.has(name) ? [[name, body.any(name)]] : []));
      const mount = requireTunable(path);
      if (mount.engine !== undefined && body.has("token_type")) {
        throw badRequest("'token_type' can only be modified on auth mounts");
      }
      tune(mount, {
        ...readConfig(Object.fromEntries(sent) as object, mount.engine === undefined),
        ...readDescription(body),
      });
    }),
    deletes(`${root}/*`, ({ parameter }) => {
      const path = parameter("*");
      if (`${path}/` in builtIn) {
        throw badRequest(
          isAuth
            ? "token credential backend cannot be disabled"
            : `cannot unmount ${JSON.stringify(`${path}/`)}`,
        );
      }
      const mount = find(path);
      if (mount !== undefined) {
        records.leases.requireRevocable((terms) => terms.mount === mount.record);
        records.unmount(keyOf(path));
      }
    }),
  ];
}

interface Described extends Pick<Mount["record"], "type" | "accessor"> {
  readonly details: MountDetails;
  readonly isAuth: boolean;
}

function describe({ type, accessor, details, isAuth }: Described): Record<string, unknown> {
  const { defaultTtl: default_lease_ttl, maxTtl: max_lease_ttl, description, options, uuid } = details;
  return {
    accessor,
    config: { default_lease_ttl, max_lease_ttl, ...commonConfig(details, isAuth) },
    deprecation_status: "supported",
    description,
    external_entropy_access: details.externalEntropyAccess,
    local: details.local,
    options,
    plugin_version: "",
    running_plugin_version: "v2.6.2+builtin.bao",
    running_sha256: "",
    seal_wrap: details.sealWrap,
    type,
    uuid,
  };
}

/** With the limits in force. */
function describeTuning({ details, isAuth, defaultLeaseTtl, maxLeaseTtl }: Described & Mount["record"]) {
  const { description, options } = details;
  return {
    default_lease_ttl: defaultLeaseTtl,
    description,
    max_lease_ttl: maxLeaseTtl,
    ...(details.externalEntropyAccess ? { external_entropy_access: true } : {}),
    ...(Object.keys(options ?? {}).length === 0 ? {} : { options }),
    ...commonConfig(details, isAuth),
  };
}

function commonConfig({ config }: MountDetails, isAuth: boolean): object {
  return { force_no_cache: false, ...(isAuth ? { token_type: "default-service" } : {}), ...config };
}

type MountChange = { -readonly [Name in keyof MountDetails]?: MountDetails[Name] };

const tokenTypes = ["default-service", "default-batch", "service", "batch"];

/**
 * @throws Refusal 400 for what the products do not accept, 501 for what they act on but the emulator does not
 * implement
 */
function requireSettings(sent: object, isAuth: boolean): void {
  const members = sent as Readonly<Record<string, unknown>>;
  const { listing_visibility: visibility = "", token_type: type = "" } = members;
  if (!["", "hidden", "unauth"].includes(String(visibility))) {
    throw badRequest(`invalid listing_visibility ${String(visibility)}`);
  }
  if (isAuth && type !== "") {
    if (!tokenTypes.includes(String(type))) {
      throw badRequest("invalid value for 'token_type'");
    }
    if (String(type).endsWith("batch")) {
      throw notImplemented("tokens of the type batch");
    }
  }
  for (const name of ["plugin_version", "user_lockout_config"]) {
    if ((members[name] ?? "") !== "") {
      throw notImplemented(`${name} of a mount`);
    }
  }
}

function readConfig(sent: object, isAuth: boolean): MountChange {
  requireSettings(sent, isAuth);
  const change: MountChange = {};
  const config: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent) as [string, unknown][]) {
    if (tunable.includes(name) && value !== "") {
      config[name] = lists.has(name) && typeof value === "string" ? value.split(",") : value;
    } else if (value === "") {
      // The products' own clients send it for settings that are not set.
      continue;
    } else if (name === "default_lease_ttl") {
      change.defaultTtl = readTtl("default", value);
    } else if (name === "max_lease_ttl") {
      change.maxTtl = readTtl("max", value);
    }
  }
  return { ...change, config };
}

function readTtl(what: string, value: unknown): number {
  const seconds = wholeSeconds(value);
  if (seconds === undefined) {
    const reason = `time: invalid duration ${JSON.stringify(String(value))}`;
    throw badRequest(`unable to parse ${what} TTL of ${String(value)}: ${reason}`);
  }
  return seconds;
}

function readDescription(body: Body): MountChange {
  const description = body.text("description");
  const options = body.any("options") === null ? null : body.map("options");
  return {
    ...(description === undefined ? {} : { description }),
    ...(options === undefined ? {} : { options }),
  };
}
