import assert from "node:assert/strict";
import { configDefinition, getConfig } from "../../sdk/secrets/directory/config";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { librarySetDefinition, listLibrarySets } from "../../sdk/secrets/directory/library-set";
import { getPushMethod, pushMethodDefinition } from "../../sdk/secrets/mfa/push-method";
import { totpMethodDefinition } from "../../sdk/secrets/mfa/totp-method";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { type Alteration, reading, serviceWith } from "./altered-responses";
import { directory, makeDirectory } from "./directory/emulated-directory";
import { ask, bodiesSentTo, hashicorp } from "./emulated-client";

describe("in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });

  afterEach(stopServers);
  useEnvironment(() => ({
    SECRETS_ADDR: emulator.secrets.address,
    SECRETS_TOKEN: emulator.secrets.token,
    SECRETS_DIALECT: "hashicorp",
  }));

  const managed = (definition: unknown, settings: Readonly<Record<string, string>> = {}): FakeEngine =>
    new FakeEngine(definition, emulator, { ...hashicorp, ...settings });
  const lastBody = (path: string): unknown => bodiesSentTo(emulator, path).at(-1);

  const stored = () => ask(emulator, "GET", "ldap/config");

  for (const schema of ["open", "openldap"]) {
    it(`a configuration in the hashicorp dialect has the documented word for its schema, and the product's on the wire, if it is given as ${schema}`, async () => {
      const config = await makeDirectory(emulator, [], { schema });
      assert.equal((await stored()).schema, "openldap");
      assert.equal(await config.refresh(), true);
      assert.equal(config.outputs.schema, "open");
      assert.equal(await config.up({ ...directory, schema }), "same");
      assert.equal(await config.up({ ...directory, schema: "open" }), "same");
      assert.equal((await getConfig()).schema, "open");
    });
  }

  it("a configuration in the hashicorp dialect repairs the length of passwords, which writes of others without it reset", async () => {
    const config = await makeDirectory(emulator, [], { length: 32 });
    await ask(emulator, "POST", "ldap/config", { request_timeout: 20 });
    await config.refresh();
    assert.equal(config.inputs.length, null);
    assert.equal(await config.up({ ...directory, length: 32 }), "updated");
    assert.equal((await stored()).length, 32);
  });

  it("a configuration in the hashicorp dialect removes another client's password policy where the program names a length", async () => {
    emulator.secrets.addPasswordPolicy({ name: "long", length: 40 });
    const config = await makeDirectory(emulator);
    await ask(emulator, "POST", "ldap/config", { password_policy: "long" });
    await config.refresh();
    assert.equal(await config.up({ ...directory, length: 20 }), "updated");
    assert.equal(await config.up({ ...directory, length: 20 }), "same");
    const { length, password_policy: policy } = await stored();
    assert.deepEqual([length, policy], [20, undefined]);
  });

  it("a configuration in the hashicorp dialect goes from the policy of passwords to a length and back, and clears each", async () => {
    const config = await makeDirectory(emulator, [], { passwordPolicy: "long" });
    const steps: readonly Properties[] = [
      { requestTimeout: "30s", passwordPolicy: "long" },
      { length: 20 },
      { passwordPolicy: "long" },
      {},
      { length: 24 },
      {},
      { passwordPolicy: "short" },
    ];
    for (const args of steps) {
      assert.equal(await config.up({ ...directory, ...args }), "updated");
      const { length, password_policy: policy } = await stored();
      assert.deepEqual([length, policy], [args.length, args.passwordPolicy], JSON.stringify(args));
      assert.equal(await config.up({ ...directory, ...args }), "same");
      await config.refresh();
      assert.equal(await config.up({ ...directory, ...args }), "same");
    }
  });

  it("a configuration in the hashicorp dialect keeps the length of passwords, and never sends the password again, in another change", async () => {
    const args = { length: 32, url: "LDAP://127.0.0.1" };
    const config = await makeDirectory(emulator, [], args);
    await config.up({ ...directory, ...args, requestTimeout: "30s" });
    const sent = lastBody("ldap/config") as Properties;
    assert.deepEqual([sent.length, "bindpass" in sent], [32, false]);
    await config.refresh();
    assert.equal(config.outputs.url, "ldap://127.0.0.1");
    assert.equal(await config.up({ ...directory, ...args, requestTimeout: 30 }), "same");
  });

  it("a configuration in the hashicorp dialect keeps the kind of credentials that another client has chosen, which writes without it reset", async () => {
    const chosen = reading((data) => ({ ...data, credential_type: "phrase" }));
    await makeDirectory(emulator);
    const config = managed(configDefinition, await serviceWith(emulator, chosen));
    await config.up({ ...directory, adopt: true, requestTimeout: 30 });
    assert.equal((lastBody("ldap/config") as Properties).credential_type, "phrase");
  });

  it("a secrets.directory.LibraryCheckout names the set in the path only, so that nobody is warned", async () => {
    await makeDirectory(emulator, ["svc-1"]);
    await managed(librarySetDefinition).up({ name: "operators", serviceAccountNames: ["svc-1"], ttl: "1h" });
    assert.deepEqual(await listLibrarySets(), { names: ["operators"] });
    const checkout = managed(libraryCheckoutDefinition);
    await checkout.up({ setName: "operators", ttl: "30m" });
    await checkout.destroy();
    const bodies = ["library/operators/check-out", "library/operators/check-in", "library/operators"];
    assert.deepEqual(
      bodies.map((path) => lastBody(`ldap/${path}`)),
      [{ ttl: 1800 }, { service_account_names: ["svc-1"] }, { service_account_names: ["svc-1"], ttl: 3600 }],
    );
  });

  for (const [server, data, namespace] of [
    ["with an id", {}, "root"],
    ["with a path alone", { namespace_id: undefined, namespace_path: "teams/" }, "teams/"],
    ["without either", { namespace_id: undefined, namespace_path: undefined }, undefined],
  ] as const) {
    it(`a secrets.mfa.TotpMethod has the namespace that a server ${server} reports`, async () => {
      const reported = reading((read) => ({ ...read, ...data }));
      const method = managed(totpMethodDefinition, await serviceWith(emulator, reported));
      await method.up({ issuer: "Acme" });
      assert.equal(method.outputs.namespace, namespace);
    });
  }

  const push = { name: "phone", mountAccessor: "auth_userpass_00000001", secretKey: "secret-key-1" };
  /** The community edition and OpenBao do not offer push methods. */
  const notOffered = async (): Promise<FakeEngine> => {
    const body = { errors: ["1 error occurred:\n\t* unsupported path\n\n"] };
    const alteration: Alteration = ({ url }, response) =>
      url.includes("/sys/mfa/method/") ? ({ status: 404, body } as never) : response;
    return managed(pushMethodDefinition, await serviceWith(emulator, alteration));
  };

  it("a push method in the hashicorp dialect has another path, and the documented type", async () => {
    const method = managed(pushMethodDefinition);
    await method.up(push);
    assert.equal(emulator.journal.requests()[0]?.path, "/v1/sys/mfa/method/duo/phone");
    assert.equal((await ask(emulator, "GET", "sys/mfa/method/duo/phone")).type, "duo");
    await method.refresh();
    assert.equal(method.outputs.type, "pushauth");
    assert.equal((await getPushMethod({ name: "phone" })).type, "pushauth");
    assert.equal(await method.up(push), "same");
    await method.destroy();
    assert.deepEqual(emulator.inspect().secrets.pushMethods, []);
  });

  it("a push method is refused with the reason by a product that does not offer it, and nothing is written", async () => {
    await assert.rejects((await notOffered()).up(push), {
      message:
        /read the push method "phone".*: unsupported path, .*only Vault Enterprise offers push methods/,
    });
    assert.equal(emulator.journal.count({ method: "POST" }), 0);
  });

  it("a push method does not count as deleted for a product that does not offer it, and can be destroyed", async () => {
    const method = await notOffered();
    method.id = "phone";
    method.outputs = { name: "phone" };
    await assert.rejects(method.refresh(), { message: /only Vault Enterprise offers push methods/ });
    await method.destroy();
    assert.equal(method.id, undefined);
  });
});
