import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { config } from "../cases/secrets/directory/config";
import { dynamicRole } from "../cases/secrets/directory/dynamic-role";
import { staticRole } from "../cases/secrets/directory/static-role";
import { entityAlias } from "../cases/secrets/identity/entity-alias";
import { pushMethod } from "../cases/secrets/mfa/push-method";
import { totpMethod } from "../cases/secrets/mfa/totp-method";
import { caseIn, type ResourceCase, type Values } from "../cases/support/case";
import { describeWithAdapters } from "../engine/support/adapter";
import { useSharedStack } from "../engine/support/shared-stack";
import { optionsIn, TestedResource } from "../engine/support/tested-resource";
import { stepByStep } from "../support/step-by-step";
import { examinedServers, LiveServices, secretsApi, title } from "./live-services";

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
      const names = [...resources.keys()].flatMap((name) => Object.keys(prepared[name]?.ignored ?? {}));
      for (const name of new Set(names)) {
        const times = said.split(`the service ignored \`${name}\`, which requires Vault`).length - 1;
        assert.equal(times, names.filter((each) => each === name).length, `${name}: ${text}`);
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
