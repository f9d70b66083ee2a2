import { defineCase } from "../../support/case";

export const token = defineCase({
  type: "secrets/scheduler:Token",
  async prepare(services) {
    const engine = {
      ...services.context("secrets", ({ scheduler }) => scheduler.aclTokens),
      ...(await services.secrets.mount("scheduler")),
    };
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
  needs: ["scheduler engine", "scheduler with ACLs"],
  async count({ services }, ids) {
    const known = await Promise.all(ids.map((id) => services.scheduler.knowsToken(id)));
    return known.filter(Boolean).length;
  },
  valid: ({ given }) => ({ ...given, roleName: "deploy", renewBefore: "5m" }),
  spellings: () => ({ renewBefore: 300 }),
  changes: [{ renewBefore: "10m" }, { roleName: "operations" }, { mount: ({ otherMount }) => otherMount }],
  leftByDeletion: {
    documented: /remains valid until \S+, because the documented API has no request/,
  },
  leftByLostResponse: {
    find: ({ secrets }) => secrets.leases.filter(({ id }) => id.includes("/creds/")),
    named: /might still have been issued/,
  },
});
