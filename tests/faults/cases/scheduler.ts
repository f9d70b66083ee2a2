import type { FaultCase, World } from "../support/fault-case";

/** A scheduler engine. */
function mountScheduler({ emulator: { secrets } }: World, mark: string): string {
  return secrets.addMount({ type: "scheduler", path: `scheduler-${mark}` }).path;
}

const access: FaultCase = {
  type: "secrets/scheduler:Access",
  prepare(world, mark) {
    const token = `canary-management-token-${mark}`;
    const made = { mount: mountScheduler(world, mark), address: "https://10.0.0.4:4646", token };
    return {
      made,
      changed: { ...made, address: "https://10.0.0.5:4646", token: `${token}-2` },
      secrets: [token, `${token}-2`],
    };
  },
};

const lease: FaultCase = {
  type: "secrets/scheduler:Lease",
  prepare(world, mark) {
    const made = { mount: mountScheduler(world, mark), ttl: "1h", maxTtl: "1d" };
    return { made, changed: { ...made, ttl: "2h" }, secrets: [] };
  },
};

const role: FaultCase = {
  type: "secrets/scheduler:Role",
  prepare(world, mark) {
    const mount = mountScheduler(world, mark);
    // `global` is given: the service does not show it, so that a role that was taken over has an unknown one else.
    const made = { mount, name: `deploy-${mark}`, policies: ["job-submit"], global: true };
    return { made, changed: { ...made, policies: ["job-submit", "node-read"] }, secrets: [] };
  },
};

const token: FaultCase = {
  type: "secrets/scheduler:Token",
  prepare(world, mark) {
    const mount = mountScheduler(world, mark);
    const { secrets } = world.emulator;
    const [roleName, otherRole] = [`deploy-${mark}`, `operate-${mark}`];
    for (const name of [roleName, otherRole]) {
      secrets.addSchedulerRole({ name, type: "management" }, mount);
    }
    secrets.changeSchedulerLease({ ttl: 3600 }, mount);
    const other = { mount, roleName: otherRole };
    return { made: { mount, roleName }, changed: other, renamed: other, secrets: [] };
  },
  leftovers: {
    find(inspection, _id, state) {
      const role = typeof state?.roleName === "string" ? state.roleName : "";
      // The token that was replaced lives on by design.
      return inspection.secrets.leases
        .filter(({ id }) => id !== state?.leaseId && id.includes(`/creds/${role}/`))
        .map(({ id, expiresAt }) => ({ expiresAt, end: ({ secrets }) => secrets.revokeLease(id) }));
    },
    named: /may have been issued all the same/,
    endsByItself: true,
  },
};

const eventGate: FaultCase = {
  type: "scheduler:EventGate",
  prepare({ emulator: { events } }, mark) {
    events.emit({ topic: "Job", type: "JobRegistered", key: `web-${mark}`, payload: {} });
    const made = {
      topics: ["Job"],
      match: { type: "JobRegistered" },
      timeout: "3s",
      triggers: { version: 1 },
    };
    return { made, changed: { ...made, triggers: { version: 2 } }, secrets: [] };
  },
};

export const schedulerCases: readonly FaultCase[] = [access, lease, role, token, eventGate];
