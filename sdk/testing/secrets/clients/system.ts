import { randomUUID } from "node:crypto";
import type { Area } from "../../area";
import { jsonResponse } from "../../response";
import type { Tokens } from "../../tokens";
import { reads, writes, productArea, type FixedEndpoint, type SecretsRequest } from "../endpoint";
import type { Records } from "../records";
import { badRequest, EngineFailure, numbered } from "../refusal";
import { flatResponse } from "../responses";
import type { SecretsPermissions } from "../rights";

/** The documentation has no endpoints for status and capabilities. */
export function createSystemArea(
  records: Records,
  tokens: Tokens<SecretsPermissions>,
): Area<FixedEndpoint, object, object> {
  return productArea(records, [...statusEndpoints(records), ...capabilityEndpoints(tokens)]);
}

/** The release that the emulator imitates. */
const version = "2.6.2";

/** The responses have no envelope. */
function statusEndpoints({ clock }: Records): FixedEndpoint[] {
  const cluster = { cluster_name: "emulator", cluster_id: randomUUID() };
  const health = reads("/sys/health", ({ query }: SecretsRequest) =>
    jsonResponse(Number(query.get("activecode") ?? "") || 200, {
      initialized: true,
      sealed: false,
      standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: Math.floor(clock.now() / 1_000),
      version,
      ...cluster,
    }),
  );
  const sealStatus = {
    type: "shamir",
    initialized: true,
    sealed: false,
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    recovery_seal: false,
    version,
    commit_date: "2026-08-18T10:43:05Z",
    migration: false,
    ...cluster,
    storage_type: "inmem",
  };
  return [
    health,
    reads("/sys/seal-status", () => jsonResponse(200, sealStatus)),
    reads("/sys/init", () => jsonResponse(200, { initialized: true })),
    reads("/sys/leader", () => jsonResponse(200, { ha_enabled: false })),
  ];
}

function capabilityEndpoints(tokens: Tokens<SecretsPermissions>): FixedEndpoint[] {
  const capabilities =
    (isOwn: boolean) =>
    ({ body, caller }: SecretsRequest) => {
      const token = body.text("token") ?? "";
      if (!isOwn && token === "") {
        throw new EngineFailure("no token found");
      }
      const rights = isOwn ? caller.rights : tokens.find(token)?.rights;
      if (rights === undefined) {
        throw badRequest(numbered("invalid token"));
      }
      const paths = body.list("paths") ?? body.list("path") ?? [];
      const [first] = paths;
      if (first === undefined) {
        throw badRequest("paths must be supplied");
      }
      return flatResponse({
        ...Object.fromEntries(paths.map((path) => [path, rights.capabilitiesOn(path)])),
        ...(paths.length === 1 ? { capabilities: rights.capabilitiesOn(first) } : {}),
      });
    };
  return [
    writes("/sys/capabilities-self", ["path", "paths", "token"], capabilities(true)),
    writes("/sys/capabilities", ["path", "paths", "token"], capabilities(false)),
  ];
}
