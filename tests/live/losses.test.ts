import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import * as trivium from "pulumi-trivium";
import { run, stopCommands } from "../command-line/binary";
import { roleBelow } from "../cases/secrets/directory/dynamic-credential";
import { directoryIn, engineIn } from "../cases/support/engines";
import type { TestServices } from "../cases/support/test-services";
import { adapters, describeWithAdapters } from "../engine/support/adapter";
import { failureOf } from "../engine/support/projects";
import { type Program, useSharedStack } from "../engine/support/shared-stack";
import {
  addPolicy,
  examinedServers,
  LiveServices,
  schedulerApi,
  secretsApi,
  title,
  useCleanUp,
} from "./live-services";
import { outputsOf, useStackOn } from "./live-stack";
import { isPermitted, permission } from "./servers";

const servers = examinedServers();
const { secrets: server, directory, scheduler } = servers;

/** What a user owns and another client touches: accounts, passwords, tokens. */
if (server !== undefined && directory !== undefined) {
  describeWithAdapters(`losses.secrets ${title}`, function (adapter) {
    this.timeout(300_000);

    const api = secretsApi(server);
    const services = new LiveServices(servers);
    const stack = useStackOn(server, "losses", adapter);
    let mount: string;
    let base: string;
    before(async () => {
      ({ mount, base } = await directoryIn(services, [], () => []));
    });
    after(async () => {
      await stack.destroy().catch(() => undefined);
      await services.close();
    });

    const lifetime = 15;
    const role = (name: string, more: object = {}) =>
      api.write(`${mount}/role/${name}`, { ...roleBelow(base, `${lifetime}s`), max_ttl: "1h", ...more });
    const program =
      (roleName: string): Program =>
      () => {
        new trivium.secrets.directory.DynamicCredential("credential", { mount, roleName });
      };
    const held = async () => {
      const type = "secrets/directory:DynamicCredential";
      const { leaseId, username, password, expiresAt } = await outputsOf<
        "leaseId" | "username" | "password" | "expiresAt"
      >(stack, adapter, type);
      return { leaseId, expiresAt, dn: `cn=${username},${base}`, password: String(password) };
    };
    const lives = ({ dn, password }: { readonly dn: string; readonly password: string }) =>
      services.secrets.directory.accepts(dn, password);

    it("a credential whose lease another client has renewed is kept, is not issued again, and is revoked with the stack", async () => {
      await role("renewed");
      await stack.up(program("renewed"));
      const issued = await held();
      await api.write("sys/leases/renew", { lease_id: issued.leaseId, increment: 1_800 });
      await sleep(lifetime * 1_000);
      const { text } = await stack.preview(program("renewed"));
      assert.match(text, /has expired \(\S+\) according to state\. The update will ask the service/);
      const { changes } = await stack.up(program("renewed"));
      assert.ok(!("replace" in changes || "create" in changes), JSON.stringify(changes));
      const kept = await held();
      assert.deepEqual([kept.leaseId, await lives(kept)], [issued.leaseId, true]);
      assert.ok(Date.parse(kept.expiresAt ?? "") > Date.now() + 1_000_000, kept.expiresAt);
      await stack.refresh();
      await stack.previewWithoutChanges(program("renewed"));
      await stack.destroy();
      assert.equal(await lives(issued), false);
    });

    it("a credential whose lease has expired is replaced", async () => {
      await role("ended");
      await stack.up(program("ended"));
      const former = await held();
      await api.write("sys/leases/revoke", { lease_id: former.leaseId, sync: true });
      await sleep(lifetime * 1_000);
      await role("ended", { default_ttl: "30m" });
      assert.deepEqual((await stack.up(program("ended"))).changes, { replace: 1 });
      assert.equal(await lives(await held()), true);
      await stack.destroy();
    });

    it("a credential whose issuing token was renewed is kept, and is revoked with the stack", async () => {
      await role("outlived", { default_ttl: "30m" });
      const made = await api.send("POST", "auth/token/create", {
        ttl: `${lifetime + 15}s`,
        explicit_max_ttl: "1h",
      });
      const token = (made as { readonly auth: { readonly client_token: string } }).auth.client_token;
      await stack.setConfiguration("trivium:secretsToken", token, true);
      await stack.up(program("outlived"));
      const issued = await held();
      assert.ok(Date.parse(issued.expiresAt ?? "") < Date.now() + (lifetime + 15) * 1_000, issued.expiresAt);
      await api.write("auth/token/renew", { token, increment: 1_800 });
      await sleep(Date.parse(issued.expiresAt ?? "") - Date.now() + 1_000);
      await stack.refresh();
      const { changes } = await stack.up(program("outlived"));
      assert.ok(!("replace" in changes || "create" in changes), JSON.stringify(changes));
      const kept = await held();
      assert.deepEqual([kept.leaseId, await lives(kept)], [issued.leaseId, true]);
      await stack.destroy();
      assert.equal(await lives(issued), false);
      await stack.setConfiguration("trivium:secretsToken", server.token, true);
    });

    it("a deletion LDIF that finds no entry and is then rejected fails, and state keeps the account", async () => {
      const missing = `dn: cn=nobody,${base}\nchangetype: delete`;
      const refused = `dn: cn={{.Username}},${base}\nchangetype: modify\nadd: noSuchAttribute\nnoSuchAttribute: x\n-`;
      await role("refused", { default_ttl: "30m", deletion_ldif: `${missing}\n\n${refused}` });
      await stack.up(program("refused"));
      const issued = await held();
      const failure = await failureOf(stack.destroy());
      assert.match(failure, /Undefined Attribute Type|result code 17/i);
      const kept = await held();
      assert.deepEqual([kept.leaseId, await lives(issued)], [issued.leaseId, true]);
      // The engines delete with the LDIF that the role had at the creation.
      await api.write(`sys/leases/revoke-force/${String(issued.leaseId)}`);
      await stack.destroy();
    });

    it("a deletion LDIF that names another entry causes a warning, because only the directory reports that the entry does not exist", async () => {
      const missing = `dn: cn=nobody,${base}\nchangetype: delete`;
      await role("elsewhere", { default_ttl: "30m", deletion_ldif: missing });
      await stack.up(program("elsewhere"));
      const issued = await held();
      const { text } = await stack.destroy();
      assert.match(text.replaceAll(/\s+/g, " "), /deletionLdif of its role names another entry/);
      assert.equal(await lives(issued), true);
    });

    it("a check-out that another client has renewed is kept, is not repeated, and ends with the stack", async () => {
      const { mount: own } = await directoryIn(services, ["lent"], () => []);
      const set = `${own}/library/team`;
      const times = { ttl: `${lifetime}s`, max_ttl: "1h" };
      await api.write(set, { service_account_names: ["lent"], ...times });
      const lent: Program = () => {
        new trivium.secrets.directory.LibraryCheckout("account", { mount: own, setName: "team" });
      };
      const heldAccount = () =>
        outputsOf<"leaseId" | "expiresAt">(stack, adapter, "secrets/directory:LibraryCheckout");
      const isAvailable = async () =>
        ((await api.read(`${set}/status`))?.lent as { readonly available: boolean }).available;
      await stack.up(lent);
      const { leaseId } = await heldAccount();
      await api.write("sys/leases/renew", { lease_id: leaseId, increment: 1_800 });
      await sleep(lifetime * 1_000);
      const { text } = await stack.preview(lent);
      assert.match(text, /has expired \(\S+\) according to state\. The update will ask the service/);
      const { changes } = await stack.up(lent);
      assert.ok(!("replace" in changes || "create" in changes), JSON.stringify(changes));
      const kept = await heldAccount();
      assert.deepEqual([kept.leaseId, await isAvailable()], [leaseId, false]);
      assert.ok(Date.parse(kept.expiresAt ?? "") > Date.now() + 1_000_000, kept.expiresAt);
      await stack.refresh();
      await stack.previewWithoutChanges(lent);
      await stack.destroy();
      assert.equal(await isAvailable(), true);
    });

    it("a static role whose password an operator has rotated does not change, and its password is the current one", async () => {
      const { mount: own } = await directoryIn(services, ["rotated"], () => []);
      const managed: Program = () => {
        const args = { mount: own, roleName: "rotated", username: "rotated", rotationPeriod: "24h" };
        const { roleName } = new trivium.secrets.directory.StaticRole("role", args);
        const { password } = trivium.secrets.directory.getStaticCredentialsOutput({ mount: own, roleName });
        return { password };
      };
      const dn = `cn=rotated,${base}`;
      const accepted = async () => {
        const password = String((await stack.outputs()).password?.value);
        return {
          password,
          isAccepted: await services.secrets.directory.accepts(dn, password),
        };
      };
      await stack.up(managed);
      const before = await accepted();
      await api.write(`${own}/rotate-role/rotated`);
      await stack.refresh();
      const { changes } = await stack.up(managed);
      assert.ok(
        !("replace" in changes || "create" in changes || "update" in changes),
        JSON.stringify(changes),
      );
      const present = await accepted();
      assert.deepEqual([before.isAccepted, present.isAccepted], [true, true]);
      assert.notEqual(present.password, before.password);
      await stack.destroy();
      assert.equal(await services.secrets.directory.accepts(dn, present.password), true);
    });

    it("a configuration whose password an operator has rotated is neither replaced nor written with the obsolete one", async () => {
      const bindpass = "bind-password-of-the-program";
      const binddn = await services.secrets.directory.add("binds", bindpass);
      const { url } = services.secrets.directory;
      const { mount: own, otherMount } = await engineIn(services, "directory", () => []);
      const configured =
        (at: string): Program =>
        () => {
          const args = { mount: at, binddn, bindpass, url, userdn: base };
          new trivium.secrets.directory.Config("engine", args);
        };
      await stack.up(configured(own));
      await api.write(`${own}/rotate-root`, {});
      assert.equal(await services.secrets.directory.accepts(binddn, bindpass), false);
      assert.match(await failureOf(stack.up(configured(otherMount))), /rotated the password of binddn/);
      await stack.refresh();
      assert.match(await failureOf(stack.preview(configured(otherMount))), /rotated the password of binddn/);
      const found = await api.read(`${own}/config`);
      assert.equal(found?.binddn, binddn);
      await stack.destroy();
    });
  });
}

/** A refusal that Nomad 2.0 does not say. */
if (scheduler !== undefined) {
  describeWithAdapters(`losses.nomad ${title}`, function (adapter) {
    this.timeout(300_000);

    const api = schedulerApi(scheduler);
    const cleanUp = useCleanUp();
    const stack = useSharedStack(`losses-of-nomad-${adapter}`, () => ({}), { adapter });
    const tokens = new Map<string, string>([["a wrong token", "00000000-0000-4000-8000-000000000000"]]);
    before(async () => {
      const policy = await addPolicy(api, cleanUp, 'node { policy = "read" }');
      const made = await api.send("POST", "acl/token", { Name: policy, Type: "client", Policies: [policy] });
      const { AccessorID, SecretID } = made as Readonly<Record<"AccessorID" | "SecretID", string>>;
      cleanUp.add(`the token of ${policy}`, () => api.remove(`acl/token/${AccessorID}`));
      tokens.set("a token without the permission", SecretID);
      await stack.setConfiguration("trivium:schedulerAddress", scheduler.address);
      await stack.setConfiguration("trivium:schedulerDialect", "hashicorp");
    });
    after(() => stack.destroy().catch(() => undefined));
    afterEach(stopCommands);

    /** The last part of a refusal, which says what is missing. */
    const refusal = /token|permission/i;

    for (const what of ["a wrong token", "a token without the permission"]) {
      const connection = () => ({
        address: scheduler.address,
        token: tokens.get(what) ?? "",
        dialect: "hashicorp" as const,
      });

      it(`a stream with ${what} is rejected within a minute, and not read as empty`, async () => {
        const begun = Date.now();
        const read = trivium.scheduler.readEvents({
          ...connection(),
          topics: ["Job"],
          until: { count: 1, timeout: "45s" },
        });
        await assert.rejects(read, refusal);
        assert.ok(Date.now() - begun < 60_000, `${Date.now() - begun} ms`);
      });

      it(`waiting for an event with ${what} is rejected within a minute`, async () => {
        const begun = Date.now();
        const waiting = trivium.scheduler.waitForEvent({
          ...connection(),
          topics: ["Job"],
          match: { type: "never" },
          timeout: "55s",
        });
        await assert.rejects(waiting, refusal);
        assert.ok(Date.now() - begun < 50_000, `${Date.now() - begun} ms`);
      });

      it(`the command events with ${what} ends within a minute, and reports that it was rejected`, async () => {
        const { address, token, dialect } = connection();
        const environment = { SCHEDULER_ADDR: address, SCHEDULER_TOKEN: token, SCHEDULER_DIALECT: dialect };
        const begun = Date.now();
        const command = run(["events", "--topic", "Job"], environment);
        assert.equal(await command.ended, 1, command.printed.error);
        assert.match(command.printed.error, refusal);
        assert.equal(command.printed.out, "");
        assert.ok(Date.now() - begun < 60_000, `${Date.now() - begun} ms`);
      });

      it(`an event gate with ${what} fails within its time limit, and reports that it was rejected`, async () => {
        await stack.setConfiguration("trivium:schedulerToken", connection().token, true);
        const begun = Date.now();
        const gate = stack.up(() => {
          new trivium.scheduler.EventGate("gate", {
            topics: ["Job"],
            match: { type: "never" },
            timeout: "90s",
          });
        });
        assert.match(await failureOf(gate), refusal);
        assert.ok(Date.now() - begun < 85_000, `${Date.now() - begun} ms`);
      });
    }

    it("a stream with a permitted token, on which nothing happens, is read as empty", async () => {
      const { address, token } = scheduler;
      const events = await trivium.scheduler.readEvents({
        address,
        token,
        dialect: "hashicorp",
        topics: ["NodePool:none"],
        until: { count: 1, timeout: "15s" },
      });
      assert.deepEqual(events, []);
    });
  });
}

/** Addresses of schedulers that nobody has bootstrapped: one for each adapter, as each can be bootstrapped once. */
const fresh = (process.env.NOMAD_FRESH_ADDRS ?? "").split(/[\s,]+/).filter((address) => address !== "");

if (server !== undefined && fresh.length > 0) {
  describeWithAdapters(`losses.access ${title}`, function (adapter) {
    this.timeout(300_000);

    const address = fresh[adapters.indexOf(adapter)] ?? fresh[0] ?? "";
    const api = secretsApi(server);
    const services: TestServices = new LiveServices(servers);
    const stack = useStackOn(server, "losses-of-access", adapter);
    let mount: string;
    let otherMount: string;
    before(async () => {
      // Nothing shows that a scheduler without a token is for development.
      assert.ok(isPermitted(address), `${permission} does not name ${address}`);
      ({ mount, otherMount } = await engineIn(services, "scheduler", () => []));
    });
    after(() => services.close());

    const program =
      (more: Partial<trivium.secrets.scheduler.AccessArgs> = {}): Program =>
      () => {
        new trivium.secrets.scheduler.Access("access", { mount, address, bootstrap: true, ...more });
      };
    const isThere = async (): Promise<boolean> => (await api.read(`${mount}/config/access`)) !== undefined;
    const issue = async () => {
      const issued = await api.send("GET", `${mount}/creds/all`);
      return issued as { readonly lease_id: string; readonly data: { readonly secret_id: string } };
    };
    const refused = /contains the only copy of the management token/;

    it("a management token of which the service has the only copy is not deleted by a replacement or a destroy", async () => {
      await stack.up(program());
      await api.write(`${mount}/role/all`, { type: "management" });
      const { lease_id } = await issue();
      assert.match(await failureOf(stack.preview(program({ mount: otherMount }))), refused);
      assert.match(await failureOf(stack.up(program({ mount: otherMount }))), refused);
      assert.equal(await isThere(), true);
      assert.match(await failureOf(stack.destroy()), refused);
      assert.equal(await isThere(), true);
      await api.write("sys/leases/revoke", { lease_id, sync: true });
      await stack.previewWithoutChanges(program());
    });

    it("the loss of such a token can be allowed by the program", async () => {
      await stack.up(program({ forgetToken: true }));
      await stack.preview(program({ forgetToken: true, mount: otherMount }));
      await stack.up(program());
      assert.match(await failureOf(stack.destroy()), refused);
    });

    it("such a configuration is deleted after the program has set its own token", async () => {
      const { data } = await issue();
      await stack.up(program({ token: data.secret_id }));
      await stack.destroy();
      assert.equal(await isThere(), false);
    });
  });
}
