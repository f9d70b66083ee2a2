import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { dynamicRoleDefinition } from "../../sdk/secrets/directory/dynamic-role";
import { staticRoleDefinition } from "../../sdk/secrets/directory/static-role";
import { totpMethodDefinition } from "../../sdk/secrets/mfa/totp-method";
import { totpSecretDefinition } from "../../sdk/secrets/mfa/totp-secret";
import { roleBelow } from "../cases/secrets/directory/dynamic-credential";
import { directoryIn } from "../cases/support/engines";
import { Refused } from "../engine/support/api";
import { stepAt } from "../secrets/emulated-client";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { examinedServers, LiveServices, secretsApi, title, uniqueName, useCleanUp } from "./live-services";

const servers = examinedServers();
const { secrets: server, directory } = servers;

/** What ends before its time, or is the same under another name. */
if (server !== undefined) {
  describe(`endings.secrets ${title}`, function () {
    this.timeout(120_000);

    const api = secretsApi(server);
    const services = new LiveServices(servers);
    const cleanUp = useCleanUp();
    after(() => services.close());

    /** Replaces the emulator, of which only addresses and tokens are used. */
    const stand = { provisioning: server, secrets: server, scheduler: server } as never;
    const hashicorp = { "trivium:secretsDialect": "hashicorp" };
    const manage = (definition: AnyResourceDefinition, settings: object = {}): FakeEngine =>
      new FakeEngine(definition, stand, { ...hashicorp, ...settings });

    it("a TOTP secret is deleted with its entity, and can then be destroyed", async () => {
      const methodId = await services.secrets.addTotpMethod();
      for (const ending of ["refresh", "destruction"] as const) {
        const entityId = await services.secrets.addEntity();
        const managed = manage(totpSecretDefinition);
        await managed.up({ methodId, entityId });
        assert.equal(await managed.refresh(), true);
        await api.remove(`identity/entity/id/${entityId}`);
        if (ending === "refresh") {
          assert.equal(await managed.refresh(), false);
        }
        await managed.destroy();
      }
    });

    it("no namespace and the namespace root are the same service", async () => {
      const managed = manage(totpMethodDefinition);
      await managed.up({ issuer: "live" });
      const { id = "", inputs, outputs } = managed;
      const same = manage(totpMethodDefinition, { "trivium:secretsNamespace": "root" });
      Object.assign(same, { id, inputs, outputs });
      assert.equal(await same.up({ issuer: "live" }), "same");
      assert.equal(await same.refresh(), true);
      await same.destroy();
    });

    it("the methods of the namespace above do not belong to a child namespace", async function () {
      const name = uniqueName();
      const made = await api.write(`sys/namespaces/${name}`).catch((error: unknown) => error);
      if (made instanceof Refused) {
        // Vault has no namespaces in its community edition.
        this.skip();
      }
      cleanUp.add(`the namespace ${name}`, () => api.remove(`sys/namespaces/${name}`));
      const above = await services.secrets.addTotpMethod();
      const settings = { ...hashicorp, "trivium:secretsNamespace": name };
      const own = manage(totpMethodDefinition, settings);
      await own.up({ issuer: "live" });
      const { client } = stepAt(stand, [], { settings });
      const ids = await totpMethodDefinition.importedBy?.ids(client, "true", "mfa");
      assert.deepEqual([ids, ids?.includes(above)], [[own.id], false]);
      await own.destroy();
    });

    if (directory !== undefined) {
      describe("of the directory", () => {
        let mount: string;
        let base: string;
        before(async () => {
          ({ mount } = await directoryIn(services, ["svc-1"], () => []));
          base = await services.secrets.directory.base();
        });

        it("a credential expires with its token, and counts as deleted when its lease does", async () => {
          await api.write(`${mount}/role/short`, roleBelow(base, "1h"));
          const made = await api.send("POST", "auth/token/create", { ttl: "25s", num_uses: 5 });
          const token = (made as { readonly auth: { readonly client_token: string } }).auth.client_token;
          const announced: string[] = [];
          const settings = { ...hashicorp, "trivium:secretsToken": token };
          const step = stepAt(stand, announced, { settings });
          const args = { mount, roleName: "short" };
          const { state } = await dynamicCredentialDefinition.create(step, args);
          assert.ok(Date.parse(String(state.expiresAt)) < Date.now() + 26_000);
          const [uses = "", ends = ""] = announced;
          assert.match(uses, /^warning: The token has [34] uses left, .* 403/);
          assert.match(ends, /^warning: It expires together with the token that issued it, in \d+ s/);

          const managed = manage(dynamicCredentialDefinition);
          await managed.up(args);
          assert.equal(await managed.refresh(), true);
          await api.write("sys/leases/revoke", { lease_id: managed.outputs.leaseId, sync: true });
          assert.equal(await managed.refresh(), false);
        });

        it("a distinguished name in an equivalent form is not a change, and does not rotate a password", async () => {
          const managed = manage(staticRoleDefinition);
          const args: Properties = { mount, roleName: "svc", username: "svc-1", rotationPeriod: "1h" };
          const dn = `cn=svc-1,${base}`;
          await managed.up({ ...args, dn });
          const before = await api.read(`${mount}/static-cred/svc`);
          const respelt = dn.replace(/(\w+)=/g, (_all, type: string) => `${type.toUpperCase()} = `);
          assert.equal(await managed.up({ ...args, dn: respelt.replaceAll(",", " , ") }), "same");
          assert.equal(await managed.refresh(), true);
          assert.equal((await api.read(`${mount}/static-cred/svc`))?.password, before?.password);
          await managed.destroy();
        });

        it("indented LDIF, which the service rejects with 500, is detected in the preview", async () => {
          const role = { ...roleBelow(base, "1h") } as Record<string, string>;
          const plain = String(role.creation_ldif);
          const indented = plain.replace(/^/gm, "  ");
          const write = api.write(`${mount}/role/indented`, { ...role, creation_ldif: indented });
          await assert.rejects(write, { status: 500 });
          const managed = manage(dynamicRoleDefinition);
          const args: Properties = { mount, roleName: "plain", deletionLdif: String(role.deletion_ldif) };
          const problems = await managed.problems({ ...args, creationLdif: indented });
          assert.match(problems.join(), /^creationLdif .*line 1/);
          await managed.up({ ...args, creationLdif: plain });
          assert.ok((await api.read(`${mount}/creds/plain`))?.password);
        });
      });
    }
  });
}
