import type { Caller } from "../tokens";
import type { AclTokenRecord } from "./acl";
import type { SchedulerPermissions } from "./rights";

const region = "global";
const datacenter = "dc1";
const raftPort = 4_647;
const serfPort = 4_648;

/** Where the leader listens for other servers: there is only this one. */
export const leader = `127.0.0.1:${raftPort}`;

/** What an agent returns about itself. */
export function agentDescription(version: string): unknown {
  return {
    config: {
      ACL: { Enabled: true },
      Datacenter: datacenter,
      Name: "emulator",
      Region: region,
      Server: { Enabled: true },
      Version: { Version: version, VersionPrerelease: "", VersionMetadata: "" },
    },
    member: {
      Addr: "127.0.0.1",
      Name: `emulator.${region}`,
      Port: serfPort,
      Status: "alive",
      Tags: { build: version, dc: datacenter, region, role: "nomad" },
    },
    stats: { nomad: { leader: "true", leader_addr: leader, server: "true" } },
  };
}

/**
 * A token as its owner sees it.
 *
 * @param record of a token that the scheduler has made; `undefined` for one that was set up
 */
export function tokenDescription(
  token: string,
  { name, rights, tokenHash }: Caller<SchedulerPermissions>,
  record: AclTokenRecord | undefined,
): unknown {
  return {
    AccessorID: record?.accessorId ?? uuidFrom(tokenHash),
    SecretID: token,
    Name: record?.name ?? name,
    Type: rights.isManagement ? "management" : "client",
    Policies: record?.policies ?? [],
    Roles: [],
    Global: record?.global ?? true,
    CreateTime: record?.createdAt ?? new Date(0).toISOString(),
    ExpirationTime: record?.expiresAt ?? null,
    ExpirationTTL: "",
  };
}

/** A token as somebody gets it who logs in. */
export function newTokenDescription(record: AclTokenRecord): unknown {
  const { accessorId, secretId, name, type, policies, global, createdAt, expiresAt } = record;
  return {
    AccessorID: accessorId,
    SecretID: secretId,
    Name: name,
    Type: type,
    Policies: policies,
    Roles: [],
    Global: global,
    CreateTime: createdAt,
    ExpirationTime: expiresAt ?? null,
    ExpirationTTL: "",
  };
}

function uuidFrom(hash: string): string {
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
