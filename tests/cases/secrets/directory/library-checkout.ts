import { defineCase } from "../../support/case";
import { directoryIn } from "../../support/engines";
import type { CaseContext, TestServices } from "../../support/test-services";

async function accountsOut({
  services,
  sets,
}: CaseContext & { readonly sets: readonly string[] }): Promise<
  readonly { readonly set: string; readonly account: string }[]
> {
  const found = await Promise.all(
    sets.map(async (set) => {
      const status = (await services.secrets.api.read(`${set}/status`)) ?? {};
      return Object.entries(status).flatMap(([account, state]) =>
        (state as { readonly available: boolean }).available ? [] : [{ set, account }],
      );
    }),
  );
  return found.flat();
}

export const accounts = ["svc-1", "svc-2", "svc-3", "svc-4", "svc-5", "svc-6", "svc-7"];

/** The documented interface requires the name of a set in the body too. */
const nameOf = ({ dialect }: Pick<TestServices, "dialect">, set: string) =>
  dialect === "documented" ? { name: set.split("/").at(-1) } : {};

export const libraryCheckout = defineCase({
  type: "secrets/directory:LibraryCheckout",
  async prepare(services) {
    const engine = await directoryIn(services, accounts, ({ directoryLibraryAccounts }) =>
      directoryLibraryAccounts.filter(({ checkOut: lease }) => lease !== null),
    );
    const sets = {
      [`${engine.mount}/library/operators`]: ["svc-1", "svc-2", "svc-3"],
      // Spare accounts: that of a lost response, or of a resource being renamed, is not free again at once.
      [`${engine.mount}/library/spares`]: ["svc-4", "svc-5"],
      [`${engine.otherMount}/library/spares`]: ["svc-6", "svc-7"],
    };
    for (const [path, service_account_names] of Object.entries(sets)) {
      const { lifetime: ttl } = services;
      await services.secrets.api.write(path, {
        ...nameOf(services, path),
        service_account_names,
        ttl,
        max_ttl: ttl,
      });
    }
    return { ...engine, sets: Object.keys(sets) };
  },
  needs: ["directory engine", "directory"],
  count: async (context) => (await accountsOut(context)).length,
  valid: ({ given }) => ({ ...given, setName: "operators", ttl: "1h", force: true, waitFor: "1m" }),
  spellings: () => ({ ttl: 3600, waitFor: "60s" }),
  changes: [
    { waitFor: "2m" },
    { force: false },
    { setName: "spares" },
    { ttl: "2h" },
    { mount: ({ otherMount }) => otherMount },
  ],
  async deleteByHand(context) {
    for (const { set, account } of await accountsOut(context)) {
      const path = set.replace("/library/", "/library/manage/");
      await context.services.secrets.api.write(`${path}/check-in`, {
        ...nameOf(context.services, set),
        service_account_names: [account],
      });
    }
  },
  withoutWaiting: { waitFor: undefined },
  leftByLostResponse: {
    find: ({ secrets: { leases, directoryLibraryAccounts } }) =>
      leases.filter(({ id }) => directoryLibraryAccounts.some(({ checkOut }) => checkOut?.leaseId === id)),
    named:
      /account of the .* might still be checked out|did not check out an account|were checked out in the meantime/,
  },
});
