import assert from "node:assert/strict";
import { casesIn } from "../cases";
import { caseIn } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import { providerWith } from "../support/fake-engine";
import { type Properties, type Provider, ProviderProcess } from "../support/provider-process";
import type { Alteration, Exchange, Replacement } from "../support/proxy";
import { definitions, newMark, useServices } from "../support/services";
import { useRunning } from "../support/use-running";
import { inClear } from "../support/values";

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
  "200 with data that are null": { absent: ok({ data: null }), empty: ok({ data: null }) },
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

/** What the document states as defaults: a service may return them for a configuration that was never written. */
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

/** Those whose absence a refresh learns from their own object. */
const readable = [...casesIn("documented").values()]
  .filter((each) => each.type.startsWith("secrets/") && "vanish" in each)
  .filter(({ type }) => definitions.get(type)?.identity?.idIs !== undefined);

describe("a documented service that does not say absence in its own words", function () {
  this.timeout(120_000);
  const services = useServices();
  const plugin = useRunning(
    "a plugin",
    () => ProviderProcess.startPlugin(services.configuration()),
    (running) => running.stop(),
  );

  for (const each of readable) {
    const { type } = each;
    const resourceCase = caseIn("documented", each);
    const definition = definitions.get(type) ?? assert.fail(type);
    const asDynamic = (): Adapted => {
      const provider = providerWith(definition, services.configuration());
      return { provider, given: inClear };
    };
    const asPlugin = (): Adapted => ({ provider: plugin, given: (inputs) => inputs });

    const live = async ({ provider, given }: Adapted, alter: Alteration, isProven: boolean) => {
      const emulator = services.resetTo("documented");
      const context = await resourceCase.prepare(
        emulatedServices(emulator, { dialect: "documented", mark: newMark(), receiver: services.receiver }),
      );
      services.proxy.clear();
      services.proxy.after = alter;
      const urn = `urn:pulumi:dev::shop::trivium:${type}::it`;
      const made = resourceCase.valid(context) as Properties;
      provider.about = { urn };
      const create = async () => {
        const { inputs, failures } = await provider.check({}, made);
        assert.deepEqual(failures, []);
        const created = await provider.create(given(inputs));
        provider.about = { urn, oldInputs: inputs };
        return { ...created, outputs: given(created.outputs) };
      };
      const vanish = async (id: string) => {
        await resourceCase.vanish?.(context, id);
        assert.equal(context.objects?.().length, 0);
      };
      const first = await create();
      assert.equal((await provider.refresh(first.id, first.outputs)).id, first.id);
      await vanish(first.id);
      if (!isProven) {
        const unproven = { message: /State is unchanged\..*TRIVIUM_ASSUME_GONE=/ };
        await assert.rejects(() => provider.refresh(first.id, first.outputs), unproven);
        return;
      }
      assert.equal((await provider.refresh(first.id, first.outputs)).id, "");
      const second = await create();
      await provider.delete(second.id, second.outputs);
      assert.equal(context.objects?.().length, resourceCase.remains === undefined ? 0 : 1);
      const third = await create();
      await vanish(third.id);
      services.proxy.after = (exchange) =>
        exchange.method === "DELETE" ? alter({ ...exchange, status: 404 }) : alter(exchange);
      await provider.delete(third.id, third.outputs);
    };

    for (const [adapter, adapted] of Object.entries({ dynamic: asDynamic, plugin: asPlugin })) {
      for (const [name, way] of Object.entries(ways)) {
        const outcome = way.isUnproven ? "is created, and stays in state" : "lives and is found to be gone";
        it(`${type} ${outcome} where absence is ${name} (${adapter})`, () =>
          live(adapted(), answeringAs(way), way.isUnproven !== true));
      }
      if (type === "secrets/scheduler:Lease" || type === "secrets/directory:Config") {
        it(`${type} lives where a configuration that was never written has its defaults (${adapter})`, () =>
          live(adapted(), withDefaults, true));
      }
    }
  }
});

interface Adapted {
  readonly provider: Provider;
  readonly given: (properties: Properties) => Properties;
}
