import assert from "node:assert/strict";
import { type AnyResourceDefinition, collectClasses, inDialect } from "../../sdk/resource/definition";
import { providerStub } from "../../sdk/resource/state/encoding";
import * as library from "../../sdk";
import { resourceCases } from "../cases";
import { inClear } from "../support/values";
import { encodings } from "../support/texts";
import { sharedProject } from "../support/packed-library";
import { FakeEngine } from "../support/fake-engine";
import { CallError, ProviderProcess } from "../support/provider-process";
import type { Properties, Provider, ReadResult } from "../support/provider-process";
import { updateOf } from "../cases/support/case";
import { type PreparedCase, type TriedCase, triedCases } from "../support/services";
import type { Refusal } from "../support/proxy";
import { allCredentials, CanaryServices, type Echo, echoes } from "./support/canary-services";
import { canariesIn, Exposure, secretArguments, secretOutputs, withCanaries } from "./support/exposure";

const classes = collectClasses(library);

/** The calls of a lifecycle, in order; each needs what the ones before have brought. */
const steps = ["create", "get", "refresh", "update", "delete"] as const;
type Step = (typeof steps)[number];

/** How many warnings of a service have been shown. */
let warned = 0;

/** The classes of which an object has been updated in place. */
const updated = new Set<string>();

describe("secrets in the provider process, for every class", function () {
  this.timeout(60_000);

  let canaryServices: CanaryServices;
  let provider: ProviderProcess;
  let round = 0;
  const exposure = new Exposure();

  before(async () => {
    canaryServices = await CanaryServices.start();
    provider = await ProviderProcess.start(sharedProject().path, canaryServices.configuration());
  });

  after(async () => {
    await provider.stop();
    await canaryServices.close();
  });

  /** One resource with canaries everywhere, in a process that knows nothing of it yet. */
  const watchedResourceOf = async (
    tried: TriedCase,
    definition: AnyResourceDefinition,
  ): Promise<WatchedResource> => {
    round += 1;
    const prepared = await canaryServices.services.prepareAlone(tried);
    canaryServices.proxy.clear();
    await provider.configure(canaryServices.configuration());
    return new WatchedResource(definition, prepared, canaryServices, provider, exposure, round);
  };

  it("secrets are looked for in every class that has any, and in all others", () => {
    assert.deepEqual([...classes.keys()].sort(), [...resourceCases.keys()].sort());
    assert.deepEqual(new Set(triedCases.map(({ type }) => type)), new Set(resourceCases.keys()));
    const definitions = [...classes.values()].map(({ definition }) => definition);
    const secrets = definitions.flatMap((each) => [...secretArguments(each), ...secretOutputs(each)]);
    assert.ok(secrets.length >= 15, String(secrets.length));
  });

  for (const resourceCase of triedCases.filter(({ stream = false }) => !stream)) {
    const { name, type, dialect } = resourceCase;
    const { definition: whole, get } = classes.get(type) ?? assert.fail(type);
    const definition = inDialect(whole, dialect);
    const canGet = get !== undefined;
    const canUpdate = updateOf(resourceCase) !== undefined;
    const own = steps.filter((step) => (step !== "get" || canGet) && (step !== "update" || canUpdate));

    it(`secrets are marked in all responses of ${name}, which go to its own service only`, async () => {
      const watched = await watchedResourceOf(resourceCase, definition);
      for (const step of own) {
        assert.equal(await watched.take(step), undefined, step);
      }
      assert.equal(updated.has(type), own.includes("update"));
      assert.deepEqual(exposure.take(), []);
    });

    it(`secrets are shown by no failure of ${name}, whatever the service repeats`, async () => {
      for (const step of own) {
        const watched = await watchedResourceOf(resourceCase, definition);
        await watched.takeAllBefore(step, own);
        // The proxy's response to the first request has had no effect: the step can be taken again.
        let failures = 0;
        const { resource } = watched.stack;
        for (const echo of echoes) {
          watched.stack.resource = resource;
          failures += (await watched.take(step, watched.refusing(echo, 0))) === undefined ? 0 : 1;
        }
        const { requests } = watched;
        assert.ok(requests === 0 || failures > 0, `${step} of ${name} never failed`);
        // Later requests find a service in which something has been done.
        const count = await (await watchedResourceOf(resourceCase, definition)).requestsOf(step, own);
        for (let number = 1; number < count; number++) {
          const another = await watchedResourceOf(resourceCase, definition);
          await another.takeAllBefore(step, own);
          const echo = echoes[(round + number) % echoes.length] ?? assert.fail();
          await another.take(step, another.refusing(echo, number));
        }
      }
      assert.deepEqual(exposure.take(), []);
    });
  }

  it("secrets reached no other server", () => {
    assert.deepEqual(canaryServices.elsewhere.received, []);
    const { searched, canaries } = exposure;
    const tried = `${canaries.size} canaries, ${searched} texts, ${canaryServices.seen} requests`;
    assert.ok(canaries.size > 100 && searched > 3000 && canaryServices.seen > 1000, tried);
    assert.ok(warned > 100, `${warned} warnings`);
    assert.ok(updated.size > 15, `${updated.size} classes updated`);
  });
});

/** A resource as the engine manages it. */
class WatchedResource {
  /** How many requests the last step made. */
  requests = 0;
  readonly stack: FakeEngine;
  private where = "";
  private readonly provider: Provider;
  private readonly hidden: Properties;
  private readonly canaries: string[];
  private readonly acts: Readonly<Record<Step, () => Promise<unknown>>>;

  constructor(
    private readonly definition: AnyResourceDefinition,
    { valid, change }: PreparedCase,
    private readonly canaryServices: CanaryServices,
    private readonly process: ProviderProcess,
    private readonly exposure: Exposure,
    round: number,
  ) {
    // Told apart from others by a remark, each is run with a configuration of its own.
    this.hidden = { __provider: `${providerStub(definition.type)}//${round}` };
    const made = withCanaries(definition, valid, `a${round}`);
    const later = withCanaries(definition, { ...valid, ...change }, `b${round}`);
    this.canaries = [...allCredentials, ...made.canaries];
    this.provider = this.watched();
    const stack = (this.stack = new FakeEngine(definition, {
      urnOf: (name) => `urn:pulumi:test::secrecy::pulumi-nodejs:dynamic/trivium/${definition.type}::${name}`,
      operate: (calls) => calls(this.provider, this.hidden),
    }));
    this.acts = {
      create: () => stack.up(made.args as Properties),
      get: () => this.provider.get(stack.resource?.id ?? "", this.hidden),
      refresh: () => stack.refresh(),
      update: () => {
        this.canaries.push(...later.canaries.filter((each) => !this.canaries.includes(each)));
        return stack.up(later.args as Properties);
      },
      delete: () => stack.destroy(),
    };
  }

  async takeAllBefore(step: Step, own: readonly Step[]): Promise<void> {
    for (const each of own.slice(0, own.indexOf(step))) {
      assert.equal(await this.take(each), undefined, each);
    }
  }

  /** How many requests a step makes that goes through. */
  async requestsOf(step: Step, own: readonly Step[]): Promise<number> {
    await this.takeAllBefore(step, own);
    await this.take(step);
    return this.requests;
  }

  /** Responds to one request of the next step with everything that is secret. */
  refusing(echo: Echo, which: number): Refusal {
    const elsewhere = this.canaryServices.elsewhere.address;
    return (request) =>
      request.number === which ? echo.response({ request, secrets: this.canaries, elsewhere }) : undefined;
  }

  /** Takes a step and searches all that it shows. @returns the error with which it fails */
  async take(step: Step, refusal?: Refusal): Promise<CallError | undefined> {
    const { proxy } = this.canaryServices;
    proxy.clear();
    const written = Object.values(encodings).map((encode) => this.canaries.map(encode).join(" and "));
    this.canaryServices.warn(written.map((text) => `deprecated: ${text}`));
    proxy.before = refusal;
    this.where = `${this.definition.type}: ${step}`;
    try {
      await this.acts[step]();
      return undefined;
    } catch (error) {
      assert.ok(error instanceof CallError, String(error));
      return error;
    } finally {
      this.requests = proxy.requests.length;
      this.exposure.report(...this.canaryServices.misdirected(proxy.requests));
      const shown = this.process.takeShown();
      warned += shown.filter((line) => line.includes("deprecated: ")).length;
      this.exposure.search(`${this.where}: what is shown`, shown.join("\n"), this.canaries);
    }
  }

  /** The provider, with everything searched that it returns. */
  private watched(): Provider {
    const { process } = this;
    const search = (properties: Properties): void => {
      const learned = canariesIn(this.definition, inClear(properties)).filter((text) => text.length >= 6);
      this.canaries.push(...learned.filter((text) => !this.canaries.includes(text)));
      this.exposure.searchProperties(this.where, this.definition, properties, this.canaries);
    };
    const searched = async <Result>(
      call: Promise<Result>,
      propertiesIn: (result: Result) => readonly Properties[],
    ): Promise<Result> => {
      try {
        const result = await call;
        propertiesIn(result).forEach(search);
        return result;
      } catch (error) {
        if (error instanceof CallError) {
          this.exposure.search(`${this.where}: the error`, error.message, this.canaries);
          const { id = "", properties = {}, reasons = [] } = error.partial ?? {};
          search({ ...properties, id, reasons });
        }
        throw error;
      }
    };
    return {
      set about(about: ProviderProcess["about"]) {
        process.about = about;
      },
      check: async (olds, news) => {
        const checked = await searched(process.check(olds, news), ({ inputs }) => [inputs]);
        await searched(this.checkWrongForms(olds, news), () => []);
        return checked;
      },
      diff: (id, olds, news) => searched(process.diff(id, olds, news), () => []),
      create: (inputs) => searched(process.create(inputs), ({ id, outputs }) => [{ ...outputs, id }]),
      get: (id, inputs) => searched(process.get(id, inputs), allOf),
      refresh: (id, outputs) => searched(process.refresh(id, outputs), allOf),
      update: async (id, olds, news) => {
        const outputs = await searched(process.update(id, olds, news), (properties) => [properties]);
        updated.add(this.definition.type);
        return outputs;
      },
      delete: (id, outputs) => searched(process.delete(id, outputs), () => []),
    };
  }

  /** Every secret in the wrong form is refused, and may be repeated in no reason. */
  private async checkWrongForms(olds: Properties, news: Properties): Promise<void> {
    const [other = ""] = this.canaries;
    const wrong = Object.entries(news).map(([name, value]): [string, unknown] => [
      name,
      name.startsWith("__") ? value : [[value, other], { inner: value }],
    ]);
    const { failures } = await this.process.check(olds, Object.fromEntries(wrong) as Properties);
    this.exposure.search(`${this.where}: refused`, JSON.stringify(failures), this.canaries);
    for (const { property } of failures) {
      // The engine prints the value of the property that a failure names.
      const [name = ""] = property.split(/[.[]/);
      assert.ok(!secretArguments(this.definition).includes(name), `${property} is named`);
    }
  }
}

function allOf({ id, outputs, inputs = {} }: ReadResult): readonly Properties[] {
  return [{ ...outputs, id }, inputs];
}
