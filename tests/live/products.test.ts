import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { config } from "../cases/secrets/directory/config";
import { roleBelow } from "../cases/secrets/directory/dynamic-credential";
import { dynamicRole } from "../cases/secrets/directory/dynamic-role";
import { staticRole } from "../cases/secrets/directory/static-role";
import { entityAlias } from "../cases/secrets/identity/entity-alias";
import { pushMethod } from "../cases/secrets/mfa/push-method";
import { totpMethod } from "../cases/secrets/mfa/totp-method";
import { caseIn, type ResourceCase, type Values } from "../cases/support/case";
import { describeWithAdapters } from "../engine/support/adapter";
import { failureOf } from "../engine/support/projects";
import { type Program, useSharedStack } from "../engine/support/shared-stack";
import { optionsIn, TestedResource } from "../engine/support/tested-resource";
import { stepByStep } from "../support/step-by-step";
import { directoryIn, engineIn } from "../cases/support/engines";
import { examinedServers, isEngineOfVault, LiveServices, secretsApi, title } from "./live-services";
import { useStackOn } from "./live-stack";

const servers = examinedServers();
const { secrets: server, directory } = servers;

/** `ignored` is what only Vault Enterprise has. */
type Prepared = Readonly<{ of: unknown; ignored: Values; beside?: Values }>;

const unlocking = { autoUnlock: true, disableAutomatedRotation: true };
const onRead = { rotateOnRead: true, rotateOnReadCooldown: "5m", ...unlocking };
const password = "canary-first-password";
const ofEntity = { mountAccessor: undefined, usernameFormat: "{{identity.entity.name}}" };
const prepared: Readonly<Record<string, Prepared>> = {
  phone: { of: pushMethod, ignored: {}, beside: { ...ofEntity, usePasscode: true } },
  alias: { of: entityAlias, ignored: { issuer: "https://login.example.org", externalId: "scim-7" } },
  codes: { of: totpMethod, ignored: { enableSelfEnrollment: true } },
  period: {
    of: config,
    ignored: { ...onRead, credentialType: "phrase", rotationPeriod: "720h" },
    beside: { schema: "ad", tlsMinVersion: "tls11", tlsMaxVersion: "tls13" },
  },
  schedule: { of: config, ignored: { rotationSchedule: "0 3 * * SAT", rotationWindow: "2h" } },
  rotated: {
    of: staticRole,
    ignored: { ...onRead, rotationPolicy: "patient", passwordPolicy: "strong", password },
  },
  issued: { of: dynamicRole, ignored: { passwordPolicy: "strong" } },
};

/** What the LDAP engine of Vault stores of a configuration, also outside Vault Enterprise. */
const storedByVault = [
  "credentialType",
  "disableAutomatedRotation",
  "rotationPeriod",
  "rotationPolicy",
  "rotationSchedule",
  "rotationWindow",
];

/** Other products than Vault Enterprise. */
if (server !== undefined) {
  describeWithAdapters(`products.secrets ${title}`, function (adapter) {
    this.timeout(600_000);
    stepByStep();

    const api = secretsApi(server);
    const stack = useSharedStack(`products-${adapter}`, () => ({}), { adapter });
    const resources = new Map<string, TestedResource>();
    const resourceOf = (name: string): TestedResource => resources.get(name) ?? assert.fail(name);
    before(async () => {
      for (const [name, { of, beside, ignored }] of Object.entries(prepared)) {
        const resourceCase = caseIn("hashicorp", of as ResourceCase);
        if (directory !== undefined || !resourceCase.live.needs.includes("directory")) {
          const tested = await TestedResource.prepare(new LiveServices(servers), resourceCase, name);
          tested.args = { ...tested.args, ...beside, ...ignored };
          resources.set(name, tested);
        }
      }
    });
    after(async () => {
      await stack.destroy().catch(() => undefined);
      await Promise.all([...resources.values()].map(({ context }) => context.close()));
    });

    const declare = () => {
      const optionsOf = optionsIn([...resources.values()]);
      resources.forEach((tested) => tested.declare(optionsOf));
      return optionsOf(resourceOf("phone"));
    };
    const idOf = async (name: string): Promise<string> =>
      (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.id ?? assert.fail(name);
    const phone = async () => api.read(`identity/mfa/method/duo/${await idOf("phone")}`);

    it("the products ignore arguments that only Vault Enterprise supports, with one warning for each", async () => {
      const { text } = await stack.up(declare);
      const said = text.replaceAll(/\s+/g, " ");
      const ofVault = await isEngineOfVault(api, String(resourceOf("period").args["mount"]));
      const isStored = (of: unknown, name: string) =>
        ofVault && of === config && storedByVault.includes(name);
      const sent = [...resources.keys()].flatMap((key) => {
        const { of, ignored } = prepared[key] ?? assert.fail(key);
        return Object.keys(ignored).map((name) => ({ name, isIgnored: !isStored(of, name) }));
      });
      for (const name of new Set(sent.map((each) => each.name))) {
        const times = said.split(`the service ignored \`${name}\`, which requires Vault`).length - 1;
        const expected = sent.filter((each) => each.name === name && each.isIgnored).length;
        assert.equal(times, expected, `${name}: ${text}`);
      }
    });

    it("the products that do not know selfManaged keep the configuration that a program replaces by one with it", async () => {
      const period = resourceOf("period");
      const { args } = period;
      const mount = String(args["mount"]);
      const before = await api.read(`${mount}/config`);
      period.args = { mount, userdn: "dc=example,dc=org", selfManaged: true };
      const failed = await stack.up(declare).then(
        () => assert.fail("selfManaged was not refused"),
        (error: unknown) => (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "),
      );
      period.args = args;
      assert.match(
        failed,
        /does not know `selfManaged`, which requires Vault Enterprise 2\.0\. Nothing was changed/,
      );
      assert.deepEqual(await api.read(`${mount}/config`), before);
    });

    it("ignored arguments do not appear in a later plan, refresh or update", async () => {
      await stack.previewWithoutChanges(declare);
      const refreshed = await stack.refresh();
      assert.deepEqual(refreshed.changes, {}, refreshed.text);
      await stack.previewWithoutChanges(declare);
      const { changes, text } = await stack.up(declare);
      assert.deepEqual([changes, text.includes("ignored")], [{}, false], text);
    });

    it("the products have push methods without a mount, whose keys are not in any response", async () => {
      const { args } = resourceOf("phone");
      const { name, use_passcode, pushinfo, secret_key } = (await phone()) ?? {};
      const found = [name, use_passcode, pushinfo, secret_key];
      assert.deepEqual(found, [args["name"], true, args["pushInfo"], undefined]);
      resourceOf("phone").args = { ...args, usePasscode: false, pushInfo: "from=console" };
      assert.deepEqual((await stack.up(declare)).changes, { update: 1 });
      const changed = await phone();
      assert.deepEqual([changed?.["use_passcode"], changed?.["pushinfo"]], [false, "from=console"]);
      await stack.previewWithoutChanges(declare);
    });

    it("the products describe objects in lists, and find an alias by its name", async () => {
      const { identity, mfa, directory: engine } = trivium.secrets;
      const { name, mountAccessor } = resourceOf("alias").args;
      const lists = {} as Record<string, Values>;
      await stack.up(() => {
        const options = declare();
        const query = { name: String(name).toUpperCase(), mountAccessor: String(mountAccessor) };
        const mountOf = (key: string) => ({ mount: String(resources.get(key)?.args["mount"]) });
        const functions: Record<string, pulumi.Output<object>> = {
          found: identity.getEntityAliasOutput(query, options),
          alias: identity.listEntityAliasesOutput({}, options),
          codes: mfa.listTotpMethodsOutput({}, options),
          phone: mfa.listPushMethodsOutput({}, options),
          ...(directory !== undefined && {
            issued: engine.listDynamicRolesOutput(mountOf("issued"), options),
            rotated: engine.listStaticRolesOutput(mountOf("rotated"), options),
          }),
        };
        pulumi.output(functions).apply((found) => {
          Object.assign(lists, found);
        });
      });
      const { found, issued, rotated, ...all } = lists;
      assert.equal(found?.["id"], await idOf("alias"));
      for (const [key, list] of Object.entries(all)) {
        const id = await idOf(key);
        const own = (Object.values(list).flat() as Values[]).find((each) => each["id"] === id);
        assert.equal(own?.["name"], resourceOf(key).args["name"]);
      }
      const names = directory && [{ names: ["operators"] }, { names: ["payments"] }];
      assert.deepEqual([issued, rotated], names ?? [undefined, undefined]);
    });

    it("the products have nothing left once the stack is destroyed", async () => {
      const ids = await Promise.all(["alias", "codes", "phone"].map(idOf));
      await stack.destroy();
      const paths = ["identity/entity-alias/id", "identity/mfa/method/totp", "identity/mfa/method/duo"];
      for (const [index, path] of paths.entries()) {
        assert.equal(await api.read(`${path}/${ids[index]}`), undefined);
      }
    });
  });
}

/** What only the LDAP engine of Vault has: settings that its configuration stores, and names in folders. */
if (server !== undefined && directory !== undefined) {
  describeWithAdapters(`products.directory ${title}`, function (adapter) {
    this.timeout(600_000);
    stepByStep();

    const { Config, DynamicRole, LibrarySet, StaticRole } = trivium.secrets.directory;
    const api = secretsApi(server);
    const services = new LiveServices(servers);
    const stack = useStackOn(server, "products-directory", adapter);
    const accounts = ["svc-1", "lent-1", "lent-2"];
    let [mount, phrases, unused, base] = ["", "", "", ""];
    before("has the LDAP engine of Vault", async function () {
      ({ mount, base } = await directoryIn(services, accounts, () => []));
      ({ mount: phrases, otherMount: unused } = await engineIn(services, "directory", () => []));
      if (!(await isEngineOfVault(api, mount))) {
        this.skip();
      }
      await api.remove(`${mount}/config`);
    });
    after(async () => {
      await stack.destroy().catch(() => undefined);
      await services.close();
    });

    type Settings = Partial<trivium.secrets.directory.ConfigArgs>;
    const scheduled: Settings = {
      rotationSchedule: "0 3 * * SAT",
      rotationWindow: "2h",
      rotationPolicy: "patient",
      disableAutomatedRotation: true,
      skipStaticRoleImportRotation: true,
    };
    const periodic: Settings = {
      rotationPeriod: "720h",
      rotationPolicy: "hasty",
      skipStaticRoleImportRotation: true,
    };
    interface Others {
      readonly period: string;
      readonly lifetime: string;
      readonly isOpen: boolean;
      readonly credentialType: trivium.secrets.directory.CredentialType;
    }
    const first: Others = { period: "24h", lifetime: "1h", isOpen: true, credentialType: "phrase" };
    const changed: Others = { period: "48h", lifetime: "2h", isOpen: false, credentialType: "password" };
    const connection = async () => {
      const { dn: binddn, password: bindpass } = await services.secrets.directory.administrator();
      return { binddn, bindpass, url: services.secrets.directory.url, userdn: base };
    };
    const program =
      (args: Settings, { period, lifetime, isOpen, credentialType }: Others): Program =>
      async () => {
        const own = await connection();
        const engine = new Config("engine", { mount, ...own, ...args });
        new Config("phrases", { mount: phrases, ...own, schema: "racf", credentialType });
        const options = { dependsOn: engine };
        const username = "svc-1";
        new StaticRole(
          "role",
          { mount, roleName: "Team/Payments", username, rotationPeriod: period },
          options,
        );
        const [creationLdif, deletionLdif] = ldif();
        const issued = { roleName: "team/operators", creationLdif, deletionLdif, defaultTtl: lifetime };
        new DynamicRole("issued", { mount, ...issued }, options);
        const serviceAccountNames = accounts.slice(1);
        const lent = { name: "team/lent", serviceAccountNames, disableCheckInEnforcement: isOpen };
        new LibrarySet("lent", { mount, ...lent }, options);
      };
    const ldif = (): [string, string] => {
      const role = roleBelow(base, "1h");
      return [String(role["creation_ldif"]), String(role["deletion_ldif"])];
    };
    const rotation = async (): Promise<readonly unknown[]> => {
      const found = await api.read(`${mount}/config`);
      const names = ["schedule", "window", "period", "policy"].map((name) => `rotation_${name}`);
      return [...names, "disable_automated_rotation"].map((name) => found?.[name]);
    };
    const assertSettled = async (planned: Program) => {
      await stack.previewWithoutChanges(planned);
      const { changes, text } = await stack.refresh();
      assert.deepEqual(changes, {}, text);
      await stack.previewWithoutChanges(planned);
    };

    it("Vault's engine stores a schedule, a policy and a kind of credentials, and has names in folders", async () => {
      const { changes, text } = await stack.up(program(scheduled, first));
      assert.deepEqual([changes["create"], text.includes("ignored")], [6, false], text);
      assert.deepEqual(await rotation(), ["0 3 * * SAT", 7_200, 0, "patient", true]);
      assert.equal((await api.read(`${phrases}/config`))?.["credential_type"], "phrase");
      const role = await api.read(`${mount}/static-role/team/payments`);
      // The configuration says that a new role does not rotate.
      assert.deepEqual([role?.["username"], role?.["last_vault_rotation"]], ["svc-1", undefined]);
      assert.equal((await api.read(`${mount}/library/team/lent`))?.["disable_check_in_enforcement"], true);
      await assertSettled(program(scheduled, first));
    });

    it("a schedule in Vault's engine becomes a period, and every other argument that it stores is changed in place", async () => {
      assert.deepEqual((await stack.up(program(periodic, changed))).changes, { update: 5 });
      assert.deepEqual(await rotation(), ["", 0, 2_592_000, "hasty", false]);
      assert.equal((await api.read(`${phrases}/config`))?.["credential_type"], "password");
      assert.equal((await api.read(`${mount}/static-role/team/payments`))?.["rotation_period"], 172_800);
      assert.equal((await api.read(`${mount}/role/team/operators`))?.["default_ttl"], 7_200);
      assert.equal((await api.read(`${mount}/library/team/lent`))?.["disable_check_in_enforcement"], false);
      await assertSettled(program(periodic, changed));
    });

    it("a schedule that another client has set in Vault's engine is drift, and the program's period replaces it", async () => {
      const other = { rotation_schedule: "0 5 * * MON", rotation_period: 0, rotation_policy: "patient" };
      await api.write(`${mount}/config`, { ...(await connection()), ...other });
      assert.deepEqual((await stack.refresh()).changes, { update: 1 });
      assert.deepEqual((await stack.up(program(periodic, changed))).changes, { update: 1 });
      assert.deepEqual(await rotation(), ["", 0, 2_592_000, "hasty", false]);
      await assertSettled(program(periodic, changed));
    });

    it("arguments that the program no longer sets are cleared in Vault's engine", async () => {
      assert.deepEqual((await stack.up(program({}, changed))).changes, { update: 1 });
      assert.deepEqual(await rotation(), ["", 0, 0, "", false]);
      assert.equal((await api.read(`${mount}/config`))?.["skip_static_role_import_rotation"], false);
      await assertSettled(program({}, changed));
    });

    it("Vault's engine rejects a schedule that is not one, and a window without a schedule is rejected by the preview", async () => {
      const refusing =
        (args: Settings): Program =>
        async () => {
          // Alone: the program would wait for the resources that depend on others.
          new Config("refused", { mount: unused, ...(await connection()), ...args });
        };
      const failure = await failureOf(stack.up(refusing({ rotationSchedule: "on Saturdays" })));
      assert.match(failure, /failed to parse provided rotation_schedule/);
      const refused = await failureOf(stack.preview(refusing({ rotationWindow: "2h" })));
      assert.match(refused, /rotationWindow .*needs rotationSchedule/);
      assert.equal(await api.read(`${unused}/config`), undefined);
      await stack.previewWithoutChanges(program({}, changed));
    });

    it("Vault's engine has nothing left of the stack once it is destroyed", async () => {
      await stack.destroy();
      const paths = ["config", "static-role/team/payments", "role/team/operators", "library/team/lent"];
      const left = await Promise.all([
        ...paths.map((path) => api.read(`${mount}/${path}`)),
        api.read(`${phrases}/config`),
      ]);
      assert.deepEqual(
        left,
        left.map(() => undefined),
      );
    });
  });
}
