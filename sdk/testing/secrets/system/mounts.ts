import { createHash } from "node:crypto";
import { dataResponse } from "../responses";
import { reads, type FixedEndpoint } from "../endpoint";
import type { MountRecord } from "../mounts";
import type { Records } from "../records";
import { Refusal } from "../refusal";

/** What a mount says about the length of leases when nobody has changed it: the service decides. */
const usualTtl = 768 * 3_600;

/** What is mounted. */
export function mountEndpoints({ mounts }: Records): FixedEndpoint[] {
  return [
    reads("/sys/mounts", () => {
      const engines = mounts.all().filter((mount) => !mounts.shownPathOf(mount).startsWith("auth/"));
      const table = engines.map((mount) => [mounts.shownPathOf(mount), toMountData(mount)] as const);
      return dataResponse(Object.fromEntries(table), { alsoOutside: true });
    }),
    reads("/sys/internal/ui/mounts/*", ({ parameter, caller }) => {
      const path = `${parameter("*").replace(/\/+$/, "")}/`;
      const [mount] = mounts
        .all()
        .filter((candidate) => path.startsWith(mounts.shownPathOf(candidate)))
        .sort((one, other) => other.path.length - one.path.length);
      const shown = mount === undefined ? undefined : mounts.shownPathOf(mount);
      // The same response whether it is absent or the caller may not see it.
      if (mount === undefined || shown === undefined || !caller.rights.mayEnter(shown)) {
        const reason =
          "preflight capability check returned 403, please ensure client's policies grant access to";
        throw new Refusal(403, [`${reason} path ${JSON.stringify(path)}`]);
      }
      return dataResponse({ ...toMountData(mount), path: shown });
    }),
  ];
}

function toMountData({ accessor, type, defaultLeaseTtl, maxLeaseTtl }: MountRecord): Record<string, unknown> {
  return {
    accessor,
    config: {
      default_lease_ttl: tuned(defaultLeaseTtl),
      force_no_cache: false,
      max_lease_ttl: tuned(maxLeaseTtl),
    },
    description: "",
    external_entropy_access: false,
    local: false,
    options: null,
    plugin_version: "",
    running_plugin_version: "",
    running_sha256: "",
    seal_wrap: false,
    type,
    uuid: uuidOf(accessor),
  };
}

function tuned(seconds: number): number {
  return seconds === usualTtl ? 0 : seconds;
}

/** The same for the same mount, whenever it is asked. */
function uuidOf(accessor: string): string {
  const digits = createHash("sha256").update(accessor).digest("hex");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
