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
import { LiveServices, secretsApi, title } from "./live-services";
import { type Server, type Servers, serversIn } from "./servers";

const servers = serversIn(process.env);

interface Ignoring {
  readonly of: unknown;
  /** What only Vault Enterprise has. */
  readonly ignored: Values;
  readonly beside?: Values;
}

const onRead = { rotateOnRead: true, rotateOnReadCooldown: "5m", autoUnlock: true };
const ignoring: Readonly<Record<string, Ignoring>> = {
  alias: { of: entityAlias, ignored: { issuer: "https://login.example.org", externalId: "scim-7" } },
  codes: { of: totpMethod, ignored: { enableSelfEnrollment: true } },
  period: {
    of: config,
    ignored: {
      ...onRead,
      credentialType: "phrase",
      rotationPeriod: "720h",
      disableAutomatedRotation: true,
    },
    beside: { schema: "ad", tlsMinVersion: "tls11", tlsMaxVersion: "tls13" },
  },
  schedule: { of: config, ignored: { rotationSchedule: "0 3 * * SAT", rotationWindow: "2h" } },
  rotated: {
    of: staticRole,
    ignored: {
      ...onRead,
      rotationPolicy: "patient",
      passwordPolicy: "strong",
      disableAutomatedRotation: true,
    },
  },
  issued: { of: dynamicRole, ignored: { passwordPolicy: "strong" } },
};

/** Other products than Vault Enterprise. */
function describeProducts(server: Server, { directory }: Servers): void {
  describeWithAdapters(`products.secrets ${title}`, function (adapter) {
    this.timeout(600_000);
    stepByStep();

    const api = secretsApi(server);
    const stack = useSharedStack(`products-${adapter}`, () => ({}), { adapter });
    const resources = new Map<string, TestedResource>();
    const resourceOf = (name: string): TestedResource => resources.get(name) ?? assert.fail(name);
    const prepare = async (name: string, of: unknown, more: Values): Promise<void> => {
      const resourceCase = caseIn("hashicorp", of as ResourceCase);
      if (directory !== undefined || !resourceCase.live.needs.includes("directory")) {
        const tested = await TestedResource.prepare(new LiveServices(servers), resourceCase, name);
        tested.args = { ...tested.args, ...more };
        resources.set(name, tested);
      }
    };
    before(async () => {
      for (const [name, { of, beside, ignored }] of Object.entries(ignoring)) {
        await prepare(name, of, { ...beside, ...ignored });
      }
      const ofIdentity = { mountAccessor: undefined, usernameFormat: "{{identity.entity.name}}" };
      await prepare("phone", pushMethod, { ...ofIdentity, usePasscode: true });
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
    const idOf = async (name: string): Promise<string> => {
      const found = (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`));
      return found?.id ?? assert.fail(name);
    };
    const phone = async () => api.read(`identity/mfa/method/duo/${await idOf("phone")}`);

    it("ignore what only Vault Enterprise has, which a warning says once for each argument", async () => {
      const { text } = await stack.up(declare);
      const said = text.replaceAll(/\s+/g, " ");
      const names = [...resources.keys()].flatMap((name) => Object.keys(ignoring[name]?.ignored ?? {}));
      for (const name of new Set(names)) {
        const times = said.split(`the service ignored ${name}, which needs Vault`).length - 1;
        assert.equal(times, names.filter((each) => each === name).length, `${name}: ${text}`);
      }
    });

    it("show none of it in a later plan, refresh or update", async () => {
      await stack.previewWithoutChanges(declare);
      const refreshed = await stack.refresh();
      assert.deepEqual(refreshed.changes, {}, refreshed.text);
      await stack.previewWithoutChanges(declare);
      const { changes, text } = await stack.up(declare);
      assert.deepEqual([changes, text.includes("ignored")], [{}, false], text);
    });

    it("have push methods without a mount, whose keys no response has", async () => {
      const { args } = resourceOf("phone");
      const { name, use_passcode, pushinfo, secret_key } = (await phone()) ?? {};
      assert.deepEqual(
        [name, use_passcode, pushinfo, secret_key],
        [args["name"], true, args["pushInfo"], undefined],
      );
      resourceOf("phone").args = { ...args, usePasscode: false, pushInfo: "from=console" };
      assert.deepEqual((await stack.up(declare)).changes, { update: 1 });
      const changed = await phone();
      assert.deepEqual([changed?.["use_passcode"], changed?.["pushinfo"]], [false, "from=console"]);
      await stack.previewWithoutChanges(declare);
    });

    it("describe in lists what they have, and find an alias by its name", async () => {
      const { name = "", mountAccessor = "" } = resourceOf("alias").args as Readonly<Record<string, string>>;
      const { identity, mfa, directory: engine } = trivium.secrets;
      const lists = {} as Record<string, Values>;
      await stack.up(() => {
        const options = declare();
        const functions: Record<string, pulumi.Output<object>> = {
          aliases: identity.listEntityAliasesOutput({}, options),
          alias: identity.getEntityAliasOutput({ name: name.toUpperCase(), mountAccessor }, options),
          codes: mfa.listTotpMethodsOutput({}, options),
          phones: mfa.listPushMethodsOutput({}, options),
        };
        if (directory !== undefined) {
          const mountOf = (key: string) => String(resourceOf(key).args["mount"]);
          functions["issued"] = engine.listDynamicRolesOutput({ mount: mountOf("issued") }, options);
          functions["rotated"] = engine.listStaticRolesOutput({ mount: mountOf("rotated") }, options);
        }
        pulumi.output(functions).apply((found) => {
          Object.assign(lists, found);
        });
      });
      const described = (list: string, members: string) =>
        (lists[list]?.[members] as readonly Values[]).map((each) => [each["id"], each["name"]]);
      const [aliasId, codesId, phoneId] = [await idOf("alias"), await idOf("codes"), await idOf("phone")];
      assert.ok(described("aliases", "aliases").some(([id, own]) => id === aliasId && own === name));
      assert.equal(lists["alias"]?.["id"], aliasId);
      const codes = resourceOf("codes").args["name"];
      assert.ok(described("codes", "methods").some(([id, own]) => id === codesId && own === codes));
      const push = resourceOf("phone").args["name"];
      assert.ok(described("phones", "methods").some(([id, own]) => id === phoneId && own === push));
      if (directory !== undefined) {
        assert.deepEqual(lists["issued"], { names: ["operators"] });
        assert.deepEqual(lists["rotated"], { names: ["payments"] });
      }
    });

    it("have nothing of it once the stack is destroyed", async () => {
      const ids = await Promise.all(["alias", "codes", "phone"].map(idOf));
      await stack.destroy();
      const paths = ["identity/entity-alias/id", "identity/mfa/method/totp", "identity/mfa/method/duo"];
      for (const [index, path] of paths.entries()) {
        assert.equal(await api.read(`${path}/${ids[index]}`), undefined);
      }
    });
  });
}

if (servers.secrets !== undefined) {
  describeProducts(servers.secrets, servers);
}
