import assert from "node:assert/strict";
import { configDefinition, getConfig } from "../../sdk/secrets/directory/config";
import { getStaticCredentials } from "../../sdk/secrets/directory/static-role";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { listLibrarySets } from "../../sdk/secrets/directory/library-set";
import { staticRoleDefinition } from "../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../sdk/secrets/directory/static-role-rotation";
import { getPushMethod, pushMethodDefinition } from "../../sdk/secrets/mfa/push-method";
import { totpMethodDefinition } from "../../sdk/secrets/mfa/totp-method";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { type Alteration, serviceWith } from "./altered-responses";
import {
  ask,
  bodiesSentTo,
  directory,
  hashicorp,
  makeDirectory,
  makeLibrarySet,
  textOf,
} from "./hashicorp-service";

describe("in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });

  afterEach(stopServers);
  useEnvironment(() => ({
    SECRETS_ADDR: emulator.secrets.address,
    SECRETS_TOKEN: emulator.secrets.token,
    SECRETS_DIALECT: "hashicorp",
  }));

  const managed = (definition: unknown, settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(definition, emulator, { ...hashicorp, ...settings });
  const lastBody = (path: string): unknown => bodiesSentTo(emulator, path).at(-1);

  describe("a secrets.directory.Config", () => {
    it("has the documented word for its schema, which is another one on the wire", async () => {
      const config = await makeDirectory(emulator, [], { schema: "open" });
      assert.equal((await ask(emulator, "GET", "ldap/config")).schema, "openldap");
      assert.equal(await config.refresh(), true);
      assert.deepEqual([config.inputs.schema, config.outputs.schema], ["open", "open"]);
      assert.equal(await config.up({ ...directory, schema: "open" }), "same");
      assert.equal((await getConfig()).schema, "open");
    });

    it("takes the product's word for its schema, as the same value", async () => {
      const config = await makeDirectory(emulator, [], { schema: "openldap" });
      assert.equal((await ask(emulator, "GET", "ldap/config")).schema, "openldap");
      assert.equal(config.outputs.schema, "open");
      assert.equal(await config.refresh(), true);
      assert.equal(await config.up({ ...directory, schema: "openldap" }), "same");
      assert.equal(await config.up({ ...directory, schema: "open" }), "same");
    });

    it("shows that the length of passwords is gone: a write of somebody else that leaves it out resets it", async () => {
      const config = await makeDirectory(emulator, [], { length: 32 });
      await ask(emulator, "POST", "ldap/config", { request_timeout: 20 });
      await config.refresh();
      assert.equal(config.inputs.length, null);
      assert.equal(await config.up({ ...directory, length: 32 }), "updated");
      assert.equal((await ask(emulator, "GET", "ldap/config")).length, 32);
    });

    it("takes away the policy of somebody else where the program names a length", async () => {
      emulator.secrets.addPasswordPolicy({ name: "long", length: 40 });
      const config = await makeDirectory(emulator);
      await ask(emulator, "POST", "ldap/config", { password_policy: "long" });
      await config.refresh();
      assert.equal(await config.up({ ...directory, length: 20 }), "updated");
      assert.equal(await config.up({ ...directory, length: 20 }), "same");
      const { length, password_policy: policy } = await ask(emulator, "GET", "ldap/config");
      assert.deepEqual([length, policy], [20, undefined]);
    });

    it("goes from the policy of passwords to a length and back, and clears each", async () => {
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
        const { length, password_policy: policy } = await ask(emulator, "GET", "ldap/config");
        assert.deepEqual([length, policy], [args.length, args.passwordPolicy], JSON.stringify(args));
        assert.equal(await config.up({ ...directory, ...args }), "same");
        await config.refresh();
        assert.equal(await config.up({ ...directory, ...args }), "same");
      }
    });

    it("keeps the length of passwords, and never sends the password again, in another change", async () => {
      const config = await makeDirectory(emulator, [], { length: 32, url: "LDAP://127.0.0.1" });
      await config.up({ ...directory, length: 32, url: "LDAP://127.0.0.1", requestTimeout: "30s" });
      const sent = lastBody("ldap/config") as Properties;
      assert.deepEqual([sent.length, "bindpass" in sent], [32, false]);
      await config.refresh();
      assert.equal(config.outputs.url, "ldap://127.0.0.1");
      assert.equal(
        await config.up({ ...directory, length: 32, url: "LDAP://127.0.0.1", requestTimeout: 30 }),
        "same",
      );
    });

    it("keeps the kind of credentials that somebody else has chosen, which writes without it reset", async () => {
      const settings = await serviceWith(emulator, ({ url, method }, { status, body }) => ({
        status,
        body:
          url.endsWith("/config") && method === "GET" && body?.data
            ? { data: { ...body.data, credential_type: "phrase" } }
            : body,
      }));
      await makeDirectory(emulator);
      const config = managed(configDefinition, settings);
      await config.up({ ...directory, adopt: true, requestTimeout: 30 });
      assert.equal((lastBody("ldap/config") as Properties).credential_type, "phrase");
    });
  });

  describe("a secrets.directory.StaticRole", () => {
    const role = { roleName: "Payments", username: "svc", rotationPeriod: "1h" };

    it("tells when its password was last rotated", async () => {
      await makeDirectory(emulator, ["svc"]);
      const made = managed(staticRoleDefinition);
      await made.up({ ...role, skipImportRotation: true });
      assert.deepEqual([made.id, made.outputs.lastRotation], ["ldap/payments", null]);
      assert.equal((await getStaticCredentials({ roleName: "payments" })).password, undefined);

      await managed(staticRoleRotationDefinition).up({ roleName: "payments" });
      await made.refresh();
      assert.match(textOf(made.outputs.lastRotation), /^2\d{3}-/);
      const { lastRotation, password } = await getStaticCredentials({ roleName: "PAYMENTS" });
      assert.equal(lastRotation, made.outputs.lastRotation);
      assert.ok(textOf(password).length > 10);
    });

    it("is updated without saying what only a creation may say", async () => {
      await makeDirectory(emulator, ["svc"]);
      const made = managed(staticRoleDefinition);
      await made.up({ ...role, skipImportRotation: true });
      assert.equal(await made.up({ ...role, skipImportRotation: true, rotationPeriod: "2h" }), "updated");
      assert.deepEqual(lastBody("ldap/static-role/payments"), { username: "svc", rotation_period: 7200 });
    });

    it("says what is missing when the server drops the connection, since there is no configuration", async () => {
      await assert.rejects(managed(staticRoleDefinition).up(role), {
        message: /The mount ldap has no directory configuration. Create it first/,
      });
    });

    it("is deleted when somebody else was quicker, although the deletion fails then", async () => {
      await makeDirectory(emulator, ["svc"]);
      const made = managed(staticRoleDefinition);
      await made.up(role);
      await ask(emulator, "DELETE", "ldap/static-role/payments");
      emulator.journal.clear();
      await made.destroy();
      assert.deepEqual(
        emulator.journal.requests().map(({ method, status }) => [method, status]),
        [
          ["DELETE", 500],
          ["GET", 404],
        ],
      );
    });
  });

  it("a secrets.directory.LibraryCheckout names the set in the path only, so that nobody is warned", async () => {
    await makeLibrarySet(emulator, ["svc-1"], { ttl: "1h" });
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

  describe("a secrets.mfa.TotpMethod", () => {
    for (const [server, data, namespace] of [
      ["with an id", {}, "root"],
      ["that names the path alone", { namespace_id: undefined, namespace_path: "teams/" }, "teams/"],
      ["that names nothing", { namespace_id: undefined, namespace_path: undefined }, undefined],
    ] as const) {
      it(`names its namespace as a server ${server} reports it`, async () => {
        const settings = await serviceWith(emulator, ({ method }, { status, body }) => ({
          status,
          body: method === "GET" && body?.data ? { data: { ...body.data, ...data } } : body,
        }));
        const method = managed(totpMethodDefinition, settings);
        await method.up({ issuer: "Acme" });
        assert.equal(method.outputs.namespace, namespace);
      });
    }
  });

  describe("a secrets.mfa.PushMethod", () => {
    const push = { name: "phone", mountAccessor: "auth_userpass_00000001", secretKey: "secret-key-1" };
    /** What the community edition and OpenBao answer. */
    const notOffered: Alteration = ({ url }, response) =>
      url.includes("/sys/mfa/method/") ? ({ status: 404, body: unsupported } as never) : response;
    const unsupported = { errors: ["1 error occurred:\n\t* unsupported path\n\n"] };

    it("has another path, and the documented type", async () => {
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

    it("is refused with the reason by what does not offer it, and nothing is written", async () => {
      const method = managed(pushMethodDefinition, await serviceWith(emulator, notOffered));
      await assert.rejects(method.up(push), {
        message:
          /read the push method "phone".*: unsupported path\. .*only Vault Enterprise offers push methods/,
      });
      assert.ok(emulator.journal.requests().every(({ method: verb }) => verb === "GET"));
    });

    it("is not treated as gone by a service that does not offer it, and can be destroyed", async () => {
      const method = managed(pushMethodDefinition, await serviceWith(emulator, notOffered));
      method.id = "phone";
      method.outputs = { name: "phone" };
      await assert.rejects(method.refresh(), { message: /only Vault Enterprise offers push methods/ });
      await method.destroy();
      assert.equal(method.id, undefined);
    });
  });
});
