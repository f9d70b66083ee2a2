import createVault from "node-vault";

/** What node-vault is asked to do, and what it gives to its program. It prints nothing of requests. */
export async function nodeVaultSteps(
  endpoint: string,
  token: string,
  directoryUrl: string,
): Promise<readonly { readonly step: string; readonly error?: string; readonly result?: unknown }[]> {
  const vault = createVault({ endpoint, token });
  const own = "vault-node";
  const outcomes: { step: string; error?: string; result?: unknown }[] = [];
  const step = async (name: string, run: () => Promise<unknown>): Promise<unknown> => {
    try {
      const result = await run();
      outcomes.push({ step: name, result: result ?? null });
      return result;
    } catch (error) {
      outcomes.push({ step: name, error: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
  await step("health", () => vault.health());
  await step("status", () => vault.status());
  await step("initialized", () => vault.initialized());
  await step("mount", () => vault.mount({ mount_point: own, type: "ldap" }));
  await step("enableAuth", () => vault.enableAuth({ mount_point: `${own}-auth`, type: "userpass" }));
  const config = {
    binddn: "cn=admin,dc=example,dc=org",
    bindpass: "adminpw",
    url: directoryUrl,
    userdn: "ou=users,dc=example,dc=org",
  };
  await step("write", () => vault.write(`${own}/config`, config));
  await step("read", () => vault.read(`${own}/config`));
  await step("list of nothing", () => vault.list(`${own}/library`));
  await step("read of nothing", () => vault.read(`${own}/static-role/none`));
  await step("write without data", () => vault.write(`${own}/rotate-role/none`, null));
  // The client goes on with the token that it gets.
  await step("tokenCreate", () =>
    createVault({ endpoint, token }).tokenCreate({ ttl: "1h", policies: ["default"] }),
  );
  await step("tokenLookupSelf of a wrong token", () =>
    createVault({ endpoint, token: "wrong" }).tokenLookupSelf(),
  );
  await step("unwrap of nothing", () => vault.unwrap({ token: "none" }));
  await step("unmount", () => vault.unmount({ mount_point: own }));
  await step("disableAuth", () => vault.disableAuth({ mount_point: `${own}-auth` }));
  return outcomes;
}
