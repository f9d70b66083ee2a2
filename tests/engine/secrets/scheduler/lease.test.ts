import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt } from "../counting";
import { schedulerEngineIn } from "./surroundings";

const pathOf = (mount: string): string => `${mount}/config/lease`;

describeLifecycle({
  className: "secrets.scheduler.Lease",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Lease",
  prepare: (world) => schedulerEngineIn(world, (inspection) => inspection.secrets.schedulerLeases),
  live: {
    needs: ["scheduler engine"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) => new trivium.secrets.scheduler.Lease(name, args, options),
  valid: ({ given }) => ({ ...given, ttl: "1h", maxTtl: 86_400 }),
  spellings: { ttl: "60m", maxTtl: "1d" },
  changes: [
    { argument: "ttl", to: "90m" },
    { argument: "maxTtl", to: 7_200 },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["ttl", "maxTtl"],
  drift: {
    argument: "ttl",
    cause: ({ world }, id) => world.secrets.api.change(pathOf(id), ["max_ttl"], { ttl: 7 }),
  },
  get: (name, id, options) => trivium.secrets.scheduler.Lease.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [],
});
