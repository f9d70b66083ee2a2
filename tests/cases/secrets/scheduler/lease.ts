import { defineCase } from "../../support/case";
import { countAt, schedulerEngineIn } from "../../support/engines";

const pathOf = (mount: string): string => `${mount}/config/lease`;

export const lease = defineCase({
  type: "secrets/scheduler:Lease",
  prepare: (services) => schedulerEngineIn(services, (inspection) => inspection.secrets.schedulerLeases),
  live: { needs: ["scheduler engine"], count: countAt(pathOf) },
  valid: ({ given }) => ({ ...given, ttl: "1h", maxTtl: 86_400 }),
  spellings: () => ({ ttl: "60m", maxTtl: "1d" }),
  changes: [
    { argument: "ttl", to: "90m" },
    { argument: "maxTtl", to: 7_200 },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["ttl", "maxTtl"],
  drift: {
    argument: "ttl",
    cause: ({ services }, id) => services.secrets.api.change(pathOf(id), ["max_ttl"], { ttl: 7 }),
  },
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  canaries: [],
});
