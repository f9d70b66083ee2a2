import { defineCase } from "../../support/case";
import { engineIn, objectsAt } from "../../support/engines";

export const lease = defineCase({
  type: "secrets/scheduler:Lease",
  prepare: (services) => engineIn(services, "scheduler", ({ schedulerLeases }) => schedulerLeases),
  needs: ["scheduler engine"],
  ...objectsAt((mount) => `${mount}/config/lease`, ["max_ttl"]),
  valid: ({ given }) => ({ ...given, ttl: "1h", maxTtl: 86_400 }),
  spellings: () => ({ ttl: "60m", maxTtl: "1d" }),
  changes: [{ ttl: "90m" }, { maxTtl: 7_200 }, { mount: ({ otherMount }) => otherMount }],
  drifts: { ttl: { ttl: 7 } },
});
