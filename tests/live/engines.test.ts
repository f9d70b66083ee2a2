import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { roleBelow } from "../cases/secrets/directory/dynamic-credential";
import { directoryIn, engineIn } from "../cases/support/engines";
import { describeWithAdapters } from "../engine/support/adapter";
import { Refused } from "../engine/support/api";
import { failureOf } from "../engine/support/projects";
import type { Program } from "../engine/support/shared-stack";
import { examinedServers, isEngineOfVault, LiveServices, secretsApi, title } from "./live-services";
import { outputsOf, useStackOn } from "./live-stack";

const servers = examinedServers();
const { secrets: server, directory } = servers;

/** What the engines accept and then do not find, or cannot use: the facts, and what the library does about them. */
if (server !== undefined && directory !== undefined) {
  describeWithAdapters(`engines.secrets ${title}`, function (adapter) {
    this.timeout(300_000);

    const { Config, DynamicCredential, DynamicRole, RootRotation, StaticRole, StaticRoleRotation } =
      trivium.secrets.directory;
    const api = secretsApi(server);
    const services = new LiveServices(servers);
    const stack = useStackOn(server, "engines", adapter);
    after(async () => {
      await stack.destroy().catch(() => undefined);
      await services.close();
    });

    /** @returns the status and the words of a request that the engine rejects */
    async function refusal(
      method: string,
      path: string,
      body = method === "POST" ? {} : undefined,
    ): Promise<readonly [number, string]> {
      const error = await api.send(method, path, body).then(
        () => assert.fail(`${method} ${path} was accepted`),
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof Refused, String(error));
      return [error.status, error.response];
    }
    const list = async (path: string) => (await api.read(`${path}?list=true`))?.["keys"];
    const accepts = (dn: string, password = "") => services.secrets.directory.accepts(dn, password);
    const credential = () =>
      outputsOf<"leaseId" | "username" | "password">(stack, adapter, "secrets/directory:DynamicCredential");

    it("a dynamic role with a capital letter is lost in the engine, so the library writes and reads it in lower case", async () => {
      const { mount, base } = await directoryIn(services, [], () => []);
      const role = roleBelow(base, "30m");
      await api.write(`${mount}/role/Rep`, role);
      assert.equal(await api.read(`${mount}/role/Rep`), undefined);
      assert.equal((await refusal("GET", `${mount}/creds/Rep`))[0], 404);
      await api.send("DELETE", `${mount}/role/Rep`);
      assert.deepEqual(await list(`${mount}/role`), ["Rep"]);

      const [creationLdif, deletionLdif] = [String(role["creation_ldif"]), String(role["deletion_ldif"])];
      const program: Program = () => {
        const { roleName } = new DynamicRole("role", {
          mount,
          roleName: "Rep",
          creationLdif,
          deletionLdif,
          defaultTtl: "30m",
        });
        new DynamicCredential("credential", { mount, roleName });
      };
      await stack.up(program);
      assert.equal((await api.read(`${mount}/role/rep`))?.["creation_ldif"], creationLdif);
      const { username, password } = await credential();
      assert.equal(await accepts(`cn=${username},${base}`, password), true);
      await stack.refresh();
      await stack.previewWithoutChanges(program);
      await stack.destroy();
      assert.equal(await accepts(`cn=${username},${base}`, password), false);
      assert.deepEqual(await list(`${mount}/role`), ["Rep"]);
    });

    it("a static role with a capital letter is rotated by the library in both engines, although one of them rejects the name", async () => {
      const { mount, base } = await directoryIn(services, ["capital", "rotated"], () => []);
      await api.write(`${mount}/static-role/St`, { username: "capital", rotation_period: "24h" });
      assert.deepEqual(await list(`${mount}/static-role`), ["st"]);
      if (await isEngineOfVault(api, mount)) {
        await api.write(`${mount}/rotate-role/St`);
      } else {
        const [status, words] = await refusal("POST", `${mount}/rotate-role/St`);
        assert.deepEqual([status, words.includes("role doesn't exist: St")], [400, true], words);
      }

      const program =
        (quarter: number): Program =>
        () => {
          const args = { mount, roleName: "Rotated" };
          const role = new StaticRole("role", { ...args, username: "rotated", rotationPeriod: "24h" });
          new StaticRoleRotation("rotation", { ...args, triggers: { quarter } }, { dependsOn: role });
        };
      const passwordNow = async () => String((await api.read(`${mount}/static-cred/rotated`))?.["password"]);
      await stack.up(program(1));
      const before = await passwordNow();
      assert.deepEqual((await stack.up(program(2))).changes, { update: 1 });
      const now = await passwordNow();
      const dn = `cn=rotated,${base}`;
      assert.deepEqual([await accepts(dn, before), await accepts(dn, now)], [false, true]);
      await stack.previewWithoutChanges(program(2));
      await stack.destroy();
    });

    it("a userattr in another case is stored and makes every rotation fail, of which the preview warns and which the error explains", async () => {
      const bindpass = "bind-password-of-the-program";
      const binddn = await services.secrets.directory.add("binds-as", bindpass);
      const { url } = services.secrets.directory;
      const userdn = await services.secrets.directory.base();
      const { mount } = await engineIn(services, "directory", () => []);
      const program =
        (userattr: string): Program =>
        () => {
          const config = new Config("engine", { mount, binddn, bindpass, url, userdn, userattr });
          new RootRotation("rotation", { mount: config.mount });
        };
      const { text } = await stack.preview(program("CN"));
      const shown = text.replaceAll(/\s+/g, " ");
      for (const subject of ["userattr", "mount has a configuration whose userattr"]) {
        assert.ok(shown.includes(` ${subject} is not an attribute that the engine can search by`), shown);
      }
      const failure = await failureOf(stack.up(program("CN")));
      assert.match(failure, /unsupported userattr \\?"CN\\?".*Set the configuration's userattr to one of/);
      assert.equal((await api.read(`${mount}/config`))?.["userattr"], "CN");
      const [status, words] = await refusal("POST", `${mount}/rotate-root`);
      assert.deepEqual([status, words.includes("unsupported userattr")], [500, true], words);
      assert.equal(await accepts(binddn, bindpass), true);
      await stack.up(program("cn"));
      assert.equal(await accepts(binddn, bindpass), false);
      await stack.destroy();
    });

    it("an engine without its configuration revokes no credential and is not unmounted, so a destroy keeps the order of dependencies, and the error names it", async () => {
      const { mount, base, binddn, bindpass, url } = await mounted();
      const config = { binddn, bindpass, url, userdn: base };
      const program =
        (isConfigured: boolean, dependsOnIt = true): Program =>
        () => {
          const engine = isConfigured ? [new Config("engine", { mount, ...config })] : [];
          const options = { dependsOn: dependsOnIt ? engine : [] };
          const role = roleBelow(base, "30m");
          const [creationLdif, deletionLdif] = [String(role["creation_ldif"]), String(role["deletion_ldif"])];
          const args = { mount, roleName: "reports", creationLdif, deletionLdif, defaultTtl: "30m" };
          const { roleName } = new DynamicRole("role", args, options);
          new DynamicCredential("credential", { mount, roleName }, options);
        };
      const live = async () => {
        const { leaseId = "", username = "", password = "" } = await credential();
        return { leaseId, isAccepted: () => accepts(`cn=${username},${base}`, password) };
      };
      await stack.up(program(true));
      const ordered = await live();
      assert.equal(await ordered.isAccepted(), true);
      await stack.destroy();
      assert.equal(await ordered.isAccepted(), false);

      await stack.up(program(true, false));
      const { leaseId, isAccepted } = await live();
      // As a destroy can do that does not know the dependency.
      await stack.up(program(false, false));
      assert.equal(await api.read(`${mount}/config`), undefined);
      const lease = { lease_id: leaseId, sync: true };
      const [revoked, why] = await refusal("POST", "sys/leases/revoke", lease);
      assert.deepEqual([revoked, why.includes("missing LDAP configuration")], [400, true], why);
      const failure = await failureOf(stack.destroy());
      assert.match(
        failure,
        new RegExp(
          `The mount ${mount} has no directory configuration\\. Create it first, and add it to the dep`,
        ),
      );
      assert.equal((await live()).leaseId, leaseId);
      assert.equal(await isAccepted(), true);

      const [status, words] = await refusal("DELETE", `sys/mounts/${mount}`);
      assert.equal(status, 400, words);
      const table = (await api.read("sys/mounts")) as Readonly<Record<string, object>>;
      assert.ok(`${mount}/` in table, Object.keys(table).join());
      const [found, reason] = await refusal("GET", `${mount}/config`);
      assert.deepEqual([found, reason.includes("is tainted")], [404, true], reason);
    });

    async function mounted() {
      const { mount } = await engineIn(services, "directory", () => []);
      const { dn: binddn, password: bindpass } = await services.secrets.directory.administrator();
      const base = await services.secrets.directory.base();
      return { mount, base, binddn, bindpass, url: services.secrets.directory.url };
    }
  });
}
