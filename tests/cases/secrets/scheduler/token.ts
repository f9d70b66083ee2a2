import { defineCase } from "../../support/case";
import { schedulerEngineIn } from "../../support/engines";

export const token = defineCase({
  type: "secrets/scheduler:Token",
  async prepare(services) {
    const engine = await schedulerEngineIn(services, (inspection) => inspection.scheduler.aclTokens);
    const { api } = services.secrets;
    const { address, token } = services.scheduler;
    for (const mount of [engine.mount, engine.otherMount]) {
      await api.write(`${mount}/config/access`, { address, token });
      await api.write(`${mount}/config/lease`, { ttl: services.lifetime });
      for (const name of ["deploy", "operations"]) {
        await api.write(`${mount}/role/${name}`, { type: "management" });
      }
    }
    return engine;
  },
  live: {
    needs: ["scheduler engine", "scheduler with ACLs"],
    count: async ({ services }, ids) => {
      const known = await Promise.all(ids.map((id) => services.scheduler.knowsToken(id)));
      return known.filter(Boolean).length;
    },
  },
  valid: ({ given }) => ({ ...given, roleName: "deploy", renewBefore: "5m" }),
  spellings: () => ({ renewBefore: 300 }),
  changes: [
    { argument: "renewBefore", to: "10m" },
    { argument: "roleName", to: "operations", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["renewBefore"],
  remains: {
    dialects: ["documented"],
    announced: /is valid until \S+: the documented interface has no request/,
  },
  leftovers: {
    find: ({ secrets: { leases } }, known) =>
      leases
        .filter(({ id }) => !known(id) && id.includes("/creds/"))
        .map(({ id, expiresAt }) => ({ expiresAt, end: ({ secrets }) => secrets.revokeLease(id) })),
    named: /may nevertheless have been issued/,
    endsByItself: true,
  },
  canaries: [],
});
