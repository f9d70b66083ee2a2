import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { otherMount, schedulerEngine, secretsToken, surroundingsOf } from "./surroundings";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.scheduler.Lease",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Lease",
  async prepare() {
    emulator = await schedulerEngine();
    return surroundingsOf(emulator, () =>
      emulator.inspect().secrets.schedulerLeases.map((lease) => ({ ...lease })),
    );
  },
  declare: (name, args, options) => new trivium.secrets.scheduler.Lease(name, args, options),
  valid: () => ({ ttl: "1h", maxTtl: 86_400 }),
  spellings: { ttl: "60m", maxTtl: "1d" },
  changes: [
    { argument: "ttl", to: "90m" },
    { argument: "maxTtl", to: 7_200 },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: ["ttl", "maxTtl"],
  drift: {
    argument: "ttl",
    cause: (_surroundings, id) => emulator.secrets.changeSchedulerLease({ ttl: 7 }, id),
  },
  get: (name, id) => trivium.secrets.scheduler.Lease.get(name, id),
  adopt: true,
  vanish: (_surroundings, id) => emulator.secrets.removeSchedulerLease(id),
  canaries: [secretsToken],
});
