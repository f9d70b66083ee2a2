import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type AnyResourceDefinition, collectClasses, definitionIn } from "../../sdk/resource/definition";
import { providerStub } from "../../sdk/resource/state/encoding";
import { textsWithin } from "../../sdk/resource/state/entry";
import * as library from "../../sdk";
import { updateOf, type Values } from "../cases/support/case";
import { startServer, stopServers, type TestServer } from "../http/server";
import { FakeEngine } from "../support/fake-engine";
import { sharedProject } from "../support/packed-library";
import { CallError, type Properties, type Provider, ProviderProcess } from "../support/provider-process";
import { type Refusal, services as serviceNames } from "../support/proxy";
import { ProxiedServices, type TriedCase, triedCases } from "../support/services";
import { encodings } from "../support/texts";
import { inClear, isMarked, withoutSecrets } from "../support/values";
import {
  allCredentials,
  assertHidden,
  assertOwnCredentials,
  credentialsOf,
  type Echo,
  echoes,
  keyPair,
  linesOfKey,
} from "./canaries";

const classes = collectClasses(library);

/** The calls of a lifecycle, in order; each needs what the ones before have brought. */
const steps = ["create", "get", "refresh", "update", "delete"] as const;
type Step = (typeof steps)[number];

function secretsIn(rows: Readonly<Record<string, { readonly secret?: boolean | undefined }>>): string[] {
  return Object.keys(rows).filter((name) => rows[name]?.secret === true);
}

/** How much has been looked at. */
const looked = {
  texts: 0,
  requests: 0,
  warnings: 0,
  canaries: new Set<string>(),
  arguments: new Set<string>(),
  updated: new Set<string>(),
};

describe("secrets in the provider process, for every class", function () {
  this.timeout(60_000);

  let services: ProxiedServices;
  let elsewhere: TestServer;
  let provider: ProviderProcess;
  let round = 0;

  /** Stack configuration for all services. Each has a mark that makes its connections new. */
  const configuration = (): Properties => {
    const headers = serviceNames.map((service) => [
      `trivium:${service}Headers`,
      JSON.stringify({ "x-gateway-key": credentialsOf(service).header, "x-round": randomUUID() }),
    ]);
    const pair = { ClientCertificate: keyPair.certificate, ClientKey: keyPair.key };
    return { ...services.configuration(pair), ...(Object.fromEntries(headers) as Properties) };
  };

  before(async () => {
    elsewhere = await startServer((response) => response.writeHead(200).end("{}"));
    services = await ProxiedServices.start();
    provider = await ProviderProcess.start(sharedProject().path, configuration());
  });
  after(async () => {
    await provider.stop();
    stopServers();
    await services.close();
  });

  /** A resource as the engine manages it, with canaries everywhere, in a process that knows nothing of it yet. */
  const watchedResourceOf = async (tried: TriedCase, own: readonly Step[]) => {
    round += 1;
    const definition = definitionOf(tried);
    const { type } = tried;
    const secrets = [...secretsIn(definition.arguments), ...secretsIn(definition.outputs)];
    const { valid, change } = await services.prepareAlone(tried);
    const { proxy } = services;
    proxy.clear();
    await provider.configure(configuration());
    const made = withCanaries(definition, valid, `a${round}`);
    const later = withCanaries(definition, { ...valid, ...change }, `b${round}`);
    const canaries = [...allCredentials, ...made.canaries];
    const learn = (texts: readonly string[]): void =>
      void canaries.push(...texts.filter((text) => !canaries.includes(text)));
    // Distinguished from others by a comment, each is run with a configuration of its own.
    const hidden = { __provider: `${providerStub(type)}//${round}` };
    let where = "";
    let requests = 0;

    const search = (what: string, text: string): void => {
      looked.texts += 1;
      canaries.forEach((canary) => looked.canaries.add(canary));
      assertHidden(`${where}: ${what}`, text, canaries);
    };
    /** Looks for canaries in what a call has returned, outside the markers of secrets, and for missing marks. */
    const searchProperties = (returned: object): void => {
      const { outputs, inputs, properties } = returned as Readonly<Record<string, Properties | undefined>>;
      for (const part of [returned as Properties, outputs, inputs, properties]) {
        const present = secrets.filter((name) => (part?.[name] ?? null) !== null);
        present.forEach((name) => assert.ok(isMarked(part?.[name]), `${where} has ${name} without a mark`));
        const clear = inClear(part ?? {});
        // The parts of a structure are common words too.
        const texts = secretsIn(definition.outputs).filter((name) => typeof clear[name] === "string");
        learn(texts.flatMap((name) => textsWithin(clear[name])).filter((text) => text.length >= 6));
      }
      search("what is returned", JSON.stringify(withoutSecrets(returned)));
    };
    const searched = async <Result>(call: Promise<Result>): Promise<Result> => {
      const result = await call.catch((error: unknown) => {
        if (error instanceof CallError) {
          search("the error", error.message);
          searchProperties(error.partial ?? {});
        }
        throw error;
      });
      searchProperties(result ?? {});
      return result;
    };
    /** Every secret in the wrong form is rejected, and no reason must repeat it. */
    const checkWrongForms = async (olds: Properties, news: Properties): Promise<void> => {
      const [other = ""] = canaries;
      const wrong = Object.entries(news).map(([name, value]): [string, Properties[string]] => [
        name,
        name.startsWith("__") ? value : [[value, other], { inner: value }],
      ]);
      const { failures } = await provider.check(olds, Object.fromEntries(wrong));
      search("what is refused", JSON.stringify(failures));
      for (const { property } of failures) {
        // The engine prints the value of the property that a failure names.
        const [name = ""] = property.split(/[.[]/);
        assert.ok(definition.arguments[name]?.secret !== true, `${property} is named`);
      }
    };
    /** The provider, with everything searched that it returns. */
    const watched: Provider = {
      set about(about: ProviderProcess["about"]) {
        provider.about = about;
      },
      async check(olds, news) {
        const checked = await searched(provider.check(olds, news));
        await checkWrongForms(olds, news);
        return checked;
      },
      diff: (...call) => searched(provider.diff(...call)),
      create: (...call) => searched(provider.create(...call)),
      get: (...call) => searched(provider.get(...call)),
      refresh: (...call) => searched(provider.refresh(...call)),
      async update(...call) {
        const outputs = await searched(provider.update(...call));
        looked.updated.add(tried.name);
        return outputs;
      },
      delete: (...call) => searched(provider.delete(...call)),
    };
    const engine = new FakeEngine(definition, {
      urnOf: (name) => `urn:pulumi:test::secrecy::pulumi-nodejs:dynamic/trivium/${type}::${name}`,
      operate: (calls) => calls(watched, hidden),
    });
    const acts: Readonly<Record<Step, () => Promise<unknown>>> = {
      create: () => engine.up(made.args),
      get: () => watched.get(engine.id ?? "", hidden),
      refresh: () => engine.refresh(),
      update: () => {
        learn(later.canaries);
        return engine.up(later.args);
      },
      delete: () => engine.destroy(),
    };
    /** Takes a step and searches all that it shows. @returns the error with which it fails */
    const take = async (step: Step, refusal?: Refusal): Promise<CallError | undefined> => {
      proxy.clear();
      const written = Object.values(encodings).map((encode) => canaries.map(encode).join(" and "));
      const warnings = written.map((text) => `deprecated: ${text}`);
      proxy.after = ({ service, response }) =>
        service === "secrets" && response.startsWith("{")
          ? { body: JSON.stringify({ ...(JSON.parse(response) as object), warnings }) }
          : undefined;
      proxy.before = refusal;
      where = `${type}: ${step}`;
      const [outcome] = await Promise.allSettled([acts[step]()]);
      requests = proxy.requests.length;
      looked.requests += requests;
      assertOwnCredentials(proxy.requests);
      const shown = provider.takeShown();
      looked.warnings += shown.filter((line) => line.includes("deprecated: ")).length;
      search("what is shown", shown.join("\n"));
      if (outcome.status === "fulfilled") {
        return undefined;
      }
      const error: unknown = outcome.reason;
      assert.ok(error instanceof CallError, String(error));
      return error;
    };
    return {
      engine,
      take,
      async takeAllBefore(step: Step): Promise<void> {
        for (const each of own.slice(0, own.indexOf(step))) {
          assert.equal(await take(each), undefined, each);
        }
      },
      /** Responds to one request of the next step with everything that is secret. */
      refusing:
        (echo: Echo, which: number): Refusal =>
        (request) =>
          request.number === which
            ? echo.response({ request, secrets: canaries, elsewhere: elsewhere.address })
            : undefined,
      /** How many requests the last step made. */
      requests: () => requests,
    };
  };

  for (const tried of triedCases.filter(({ isStream }) => !isStream)) {
    const { name, type } = tried;
    const canGet = "get" in (classes.get(type) ?? {});
    const canUpdate = updateOf(tried) !== undefined;
    const own = steps.filter((step) => (step !== "get" || canGet) && (step !== "update" || canUpdate));

    it(`secrets are marked in all responses of ${name}, and are sent only to its own service`, async () => {
      const { take } = await watchedResourceOf(tried, own);
      for (const step of own) {
        assert.equal(await take(step), undefined, step);
      }
      assert.equal(looked.updated.has(name), own.includes("update"));
    });

    it(`secrets are not shown by a failure of ${name}, whatever the service repeats`, async () => {
      for (const step of own) {
        const watched = await watchedResourceOf(tried, own);
        await watched.takeAllBefore(step);
        // The proxy's response to the first request has had no effect: the step can be taken again.
        let failures = 0;
        const { resource } = watched.engine;
        for (const echo of echoes) {
          watched.engine.resource = resource;
          failures += (await watched.take(step, watched.refusing(echo, 0))) === undefined ? 0 : 1;
        }
        assert.ok(watched.requests() === 0 || failures > 0, `${step} of ${name} never failed`);
        // Later requests find a service in which something has been done.
        const complete = await watchedResourceOf(tried, own);
        await complete.takeAllBefore(step);
        await complete.take(step);
        for (let number = 1; number < complete.requests(); number++) {
          const another = await watchedResourceOf(tried, own);
          await another.takeAllBefore(step);
          const echo = echoes[(round + number) % echoes.length] ?? assert.fail();
          await another.take(step, another.refusing(echo, number));
        }
      }
    });
  }

  it("secret arguments all had a canary in at least one case of their class", () => {
    const all = triedCases
      .filter(({ isStream }) => !isStream)
      .flatMap((tried) => secretsIn(definitionOf(tried).arguments).map((name) => `${tried.type}.${name}`));
    assert.deepEqual([...looked.arguments].sort(), [...new Set(all)].sort());
  });

  it("secrets were not sent to any other server", () => {
    assert.deepEqual(elsewhere.received, []);
    const { texts, requests, warnings, canaries, updated } = looked;
    const tried = `${canaries.size} canaries, ${texts} texts, ${requests} requests, ${warnings} warnings, ${updated.size} updated`;
    assert.ok(canaries.size > 100 && texts > 3000 && requests > 1000 && warnings > 100, tried);
    assert.ok(updated.size > 15, tried);
  });
});

function definitionOf({ type, dialect }: TriedCase): AnyResourceDefinition {
  return definitionIn((classes.get(type) ?? assert.fail(type)).definition, dialect);
}

/** Characters that encoders, patterns and markup make something of. */
const awkward = `"q'<a&b>/c+d=e%20\\n.*(f)[g]{h}$^|~\u00e9\u20ac#;,`;

/**
 * The arguments of a case with a canary of its own in each secret one: as awkward as the argument allows. A key stays
 * what it is, since it has to fit its certificate; its lines are canaries. Of an address the host is no secret.
 *
 * @returns the arguments, and every text that must not be shown
 */
function withCanaries(definition: AnyResourceDefinition, values: Values, round: string) {
  const args = { ...values } as Properties;
  // A set of arguments can exclude secrets.
  const canaries = secretsIn(definition.arguments).flatMap((name) => {
    const value = values[name];
    if (typeof value !== "string") {
      return [];
    }
    looked.arguments.add(`${definition.type}.${name}`);
    if (value.includes("PRIVATE KEY-----")) {
      return linesOfKey(value);
    }
    const canary = `canary-${`${round}-${definition.type}-${name}`.replace(/[^\w-]/g, "-")}`;
    const secret = URL.canParse(value) ? `${canary}?a=1&b=%20` : `${canary}-${awkward}`;
    args[name] = URL.canParse(value) ? `${new URL(value).origin}/${secret}` : secret;
    return secret;
  });
  return { args, canaries };
}
