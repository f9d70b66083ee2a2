import assert from "node:assert/strict";
import { casesIn } from "../cases";
import { caseIn, type ResourceCase } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import type { CaseContext } from "../cases/support/test-services";
import { FakeEngine, providerWith, throughPlugin } from "../support/fake-engine";
import { type Properties, ProviderProcess } from "../support/provider-process";
import type { Alteration, Exchange, Replacement } from "../support/proxy";
import { definitions, newMark, useServices } from "../support/services";
import { useRunning } from "../support/use-running";
import { type Adapter, adapters } from "./support/adapter";

interface Way {
  /** Of what does not exist. */
  readonly absent: Replacement;
  /** Of a list without items. */
  readonly empty: Replacement;
  /** Whether the two prove that an object is gone. Default: they do. */
  readonly isUnproven?: true;
}

const ok = (body: unknown): Replacement => ({ status: 200, body: JSON.stringify(body) });
const nothing: Replacement = { status: 404, body: "" };
const noKeys = ok({ data: { keys: [] } });

/** The document shows neither the response about what does not exist nor that of an empty list. */
const ways: Readonly<Record<string, Way>> = {
  "404 without a body": { absent: nothing, empty: noKeys },
  "404 with other JSON": { absent: { status: 404, body: '{"message":"not found"}' }, empty: ok([]) },
  "404 without a body, also for empty lists": { absent: nothing, empty: nothing, isUnproven: true },
  "200 with null data": { absent: ok({ data: null }), empty: ok({ data: null }) },
  "200 with null": { absent: ok(null), empty: ok(null) },
  "200 without a body": { absent: { status: 200, body: "" }, empty: ok({ data: [] }) },
  "204": { absent: { status: 204, body: "" }, empty: noKeys },
  "its own word, and 204 for empty lists": {
    absent: { status: 404, body: '{"errors":[]}' },
    empty: { status: 204 },
  },
  "null, and keys that are null": { absent: ok({ data: null }), empty: ok({ data: { keys: null } }) },
  "null, and data without keys": { absent: ok({ data: null }), empty: ok({ data: {} }) },
};

/** The documented defaults: a service can return them for a configuration that was never written. */
const defaults: readonly (readonly [path: RegExp, data: object])[] = [
  [/^\/v1\/scheduler[^/]*\/config\/lease$/, { ttl: 0, max_ttl: 0 }],
  [
    /^\/v1\/directory[^/]*\/config$/,
    {
      binddn: "",
      case_sensitive_names: false,
      certificate: "",
      insecure_tls: false,
      length: 64,
      schema: "open",
      starttls: false,
      tls_max_version: "tls12",
      tls_min_version: "tls12",
      url: "ldap://127.0.0.1",
    },
  ],
];

const isList = ({ target }: Exchange): boolean => /[?&]list=true|\/static-role$/.test(target);

function isEmpty({ status, response }: Exchange): boolean {
  const { data } = response.startsWith("{") ? (JSON.parse(response) as { data?: { keys?: unknown } }) : {};
  return status === 404 || response === "[]" || (Array.isArray(data?.keys) && data.keys.length === 0);
}

const answeringAs =
  ({ absent, empty }: Way): Alteration =>
  (exchange) => {
    if (isList(exchange)) {
      return isEmpty(exchange) ? empty : undefined;
    }
    return exchange.status === 404 ? absent : undefined;
  };

const withDefaults: Alteration = ({ method, target, status }) => {
  const [, data] = defaults.find(([path]) => method === "GET" && status === 404 && path.test(target)) ?? [];
  return data && ok({ data });
};

type Deletion = (context: CaseContext, outputs: Properties) => Promise<void>;

/** @param names the one that it depends on, and those that the list of the same kind names beside it */
const removing =
  (kind: string, names: readonly string[] = []): Deletion =>
  async ({ services: { secrets } }, { mount }) => {
    for (const path of names.length === 0 ? [kind] : names.map((name) => `${kind}/${name}`)) {
      await secrets.api.remove(`${typeof mount === "string" ? mount : ""}/${path}`);
    }
  };

/** Also deletes what it depends on, and makes the lists empty that would show that. */
const deletions: Readonly<Record<string, Deletion>> = {
  "secrets/directory:LibraryCheckout": removing("library", ["operators", "spares"]),
  "secrets/directory:RootRotation": removing("config"),
  "secrets/directory:StaticRoleRotation": removing("static-role", ["payments", "search"]),
  async "secrets/mfa:TotpSecret"({ services, emulator }, { methodId, entityId }) {
    const key = { method_id: methodId, entity_id: entityId };
    await services.secrets.api.write("identity/mfa/method/totp/admin-destroy", key);
    const { totpMethods } = emulator?.inspect().secrets ?? assert.fail();
    totpMethods.forEach(({ id }) => emulator?.secrets.removeTotpMethod(id));
  },
};

const cases = [...casesIn("documented").values()].filter(({ type }) => type.startsWith("secrets/"));

/** Those whose absence a refresh learns from the service, which has no request about what it has issued. */
const readable = cases.filter((each) => "deleteByHand" in each || each.type in deletions);
const issued = cases.filter((each) => !readable.includes(each));

/** The resources that are gone with a configuration in which every value can have its default. */
const configured = ["secrets/scheduler:Lease", "secrets/directory:Config", "secrets/directory:RootRotation"];

describe("a documented service that does not report absence in its own words", function () {
  this.timeout(120_000);
  const services = useServices();
  const plugin = useRunning(
    "a plugin",
    () => ProviderProcess.startPlugin(services.configuration()),
    (running) => running.stop(),
  );

  /** A stack with the object, behind a service that answers in its own way. */
  const stackOf = (each: ResourceCase, adapter: Adapter) => {
    const { type } = each;
    const resourceCase = caseIn("documented", each);
    const definition = definitions.get(type) ?? assert.fail(type);
    return async (alter: Alteration) => {
      const emulator = services.resetTo("documented");
      const context = await resourceCase.prepare(
        emulatedServices(emulator, { dialect: "documented", mark: newMark(), receiver: services.receiver }),
      );
      const engine = new FakeEngine(
        definition,
        adapter === "plugin"
          ? throughPlugin(plugin, definition)
          : { operate: (calls) => calls(providerWith(definition, services.configuration()), {}) },
      );
      services.proxy.clear();
      services.proxy.after = alter;
      assert.equal(await engine.up(resourceCase.valid(context) as Properties), "created");
      assert.equal(await engine.refresh(), true);
      const vanish = async (): Promise<void> => {
        await resourceCase.deleteByHand?.(context, engine.id ?? "");
        await deletions[type]?.(context, engine.outputs);
        assert.equal(context.objects?.().length, 0);
      };
      return { context, engine, vanish };
    };
  };

  for (const adapter of adapters) {
    for (const each of readable) {
      const { type } = each;
      const create = stackOf(each, adapter);
      const live = async (alter: Alteration): Promise<void> => {
        const refreshed = await create(alter);
        await refreshed.vanish();
        assert.equal(await refreshed.engine.refresh(), false);
        const destroyed = await create(alter);
        await destroyed.engine.destroy();
        assert.equal(destroyed.context.objects?.().length, each.leftByDeletion === undefined ? 0 : 1);
        const { engine, vanish } = await create(alter);
        await vanish();
        services.proxy.after = (exchange) =>
          exchange.method === "DELETE" ? alter({ ...exchange, status: 404 }) : alter(exchange);
        await engine.destroy();
      };
      for (const [name, way] of Object.entries(ways)) {
        const alter = answeringAs(way);
        if (way.isUnproven === true) {
          it(`${type} is created, and stays in state if absence is ${name} (${adapter})`, async () => {
            const { engine, vanish } = await create(alter);
            await vanish();
            await assert.rejects(() => engine.refresh(), {
              message: /State is unchanged\..*TRIVIUM_ASSUME_GONE=/,
            });
          });
        } else {
          it(`${type} is managed, and found to be deleted, if absence is ${name} (${adapter})`, () =>
            live(alter));
        }
      }
      if (configured.includes(type)) {
        it(`${type} is managed if a configuration that was never written returns defaults (${adapter})`, () =>
          live(withDefaults));
      }
    }

    for (const each of issued) {
      const { type } = each;
      for (const [name, way] of Object.entries(ways)) {
        it(`${type} is managed if absence is ${name} and its revocation cannot be confirmed (${adapter})`, async () => {
          const { context, engine } = await stackOf(each, adapter)(answeringAs(way));
          for (const { id } of context.emulator?.inspect().secrets.leases ?? []) {
            context.emulator?.secrets.revokeLease(id);
          }
          assert.equal(context.objects?.().length, 0);
          assert.equal(await engine.refresh(), true);
          await engine.destroy();
        });
      }
    }
  }
});
