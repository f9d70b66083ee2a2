import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { collectClasses } from "../../sdk/resource/registry";
import { providerStub } from "../../sdk/resource/state/protocol";
import * as library from "../../sdk";
import { resourceCases } from "../cases";
import { inClear } from "../support/values";
import { changeOf, newStage, type Stage } from "../hostile/support/world";
import { encodings } from "../support/texts";
import { sharedProject } from "../support/packed-library";
import { CallError, type Properties, ProviderProcess } from "../support/provider-process";
import type { Refusal } from "../support/proxy";
import { Crowd, type Echo, echoes } from "./support/crowd";
import { canariesIn, Exposure, secretArguments, secretOutputs, withCanaries } from "./support/exposure";

const classes = collectClasses(library);

/** The calls of a life, in order; each needs what the ones before have brought. */
const steps = ["create", "get", "refresh", "update", "delete"] as const;
type Step = (typeof steps)[number];

describe("secrets in the provider process, for every class", function () {
  this.timeout(60_000);

  let crowd: Crowd;
  let provider: ProviderProcess;
  let round = 0;
  const exposure = new Exposure();

  before(async () => {
    crowd = await Crowd.gather();
    provider = await ProviderProcess.start(sharedProject().path, crowd.configuration());
  });

  after(async () => {
    await provider.stop();
    await crowd.disperse();
  });

  /** One resource with canaries everywhere, in a process that knows nothing of it yet. */
  const lifeOf = async (definition: AnyResourceDefinition): Promise<Life> => {
    round += 1;
    const { type } = definition;
    const resourceCase = resourceCases.get(type) ?? assert.fail(`there is no case of ${type}`);
    crowd.proxy.clear();
    await provider.configure(crowd.configuration());
    const stage = await newStage(crowd.emulator, crowd.receiver, resourceCase);
    return new Life(definition, stage, crowd, provider, exposure, round);
  };

  it("are looked for in every class that has any, and in all others", () => {
    assert.deepEqual([...classes.keys()].sort(), [...resourceCases.keys()].sort());
    const secrets = [...classes.values()].flatMap(({ definition }) => [
      ...secretArguments(definition),
      ...secretOutputs(definition),
    ]);
    assert.ok(secrets.length >= 15, String(secrets.length));
  });

  for (const { definition, get } of classes.values()) {
    const { type } = definition;
    const resourceCase = resourceCases.get(type);
    if (resourceCase === undefined || resourceCase.stream === true) {
      continue;
    }
    const own = steps.filter(
      (step) =>
        (step !== "get" || get !== undefined) && (step !== "update" || changeOf(resourceCase) !== undefined),
    );

    it(`are marked in all responses of ${type}, which go to its own service only`, async () => {
      const life = await lifeOf(definition);
      for (const step of own) {
        assert.equal(await life.take(step), undefined, step);
      }
      assert.deepEqual(exposure.take(), []);
    });

    it(`are shown by no failure of ${type}, whatever the service repeats`, async () => {
      for (const step of own) {
        const life = await lifeOf(definition);
        await life.takeAllBefore(step, own);
        // What the proxy answers to the first request has had no effect: the step can be taken again.
        let failures = 0;
        for (const echo of echoes) {
          failures += (await life.take(step, life.refusing(echo, 0))) === undefined ? 0 : 1;
        }
        const { requests } = life;
        assert.ok(requests === 0 || failures > 0, `${step} of ${type} never failed`);
        // Later requests find a service in which something has been done.
        const count = await (await lifeOf(definition)).requestsOf(step, own);
        for (let number = 1; number < count; number++) {
          const another = await lifeOf(definition);
          await another.takeAllBefore(step, own);
          const echo = echoes[(round + number) % echoes.length] ?? assert.fail();
          await another.take(step, another.refusing(echo, number));
        }
      }
      assert.deepEqual(exposure.take(), []);
    });
  }

  it("went nowhere but where they belong", () => {
    assert.deepEqual(crowd.astray, []);
    const { searched, canaries } = exposure;
    const tried = `${canaries.size} canaries, ${searched} texts, ${crowd.seen} requests`;
    assert.ok(canaries.size > 100 && searched > 3000 && crowd.seen > 1000, tried);
    assert.ok(crowd.warned > 100, `${crowd.warned} warnings`);
  });
});

/** A resource as the engine manages it. */
class Life {
  /** How many requests the last step made. */
  requests = 0;
  private id = "";
  private inputs: Properties = {};
  private outputs: Properties = {};
  private readonly stub: string;
  private readonly canaries: string[];
  private readonly args: Properties;
  private readonly changed: Properties;
  private readonly laterCanaries: readonly string[];

  constructor(
    private readonly definition: AnyResourceDefinition,
    { valid, change }: Stage,
    private readonly crowd: Crowd,
    private readonly provider: ProviderProcess,
    private readonly exposure: Exposure,
    round: number,
  ) {
    // Told apart from others by a remark, each is run with a configuration of its own.
    this.stub = `${providerStub(definition.type)}//${round}`;
    const made = withCanaries(definition, valid, `a${round}`);
    const later = withCanaries(definition, { ...valid, ...change }, `b${round}`);
    const urn = `urn:pulumi:test::secrecy::pulumi-nodejs:dynamic/trivium/${definition.type}::it`;
    const hidden = { __provider: this.stub, __urn: urn };
    this.args = { ...(made.args as Properties), ...hidden };
    this.changed = { ...(later.args as Properties), ...hidden };
    this.canaries = [...crowd.allCredentials, ...made.canaries];
    this.laterCanaries = later.canaries;
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

  /** Has one request of the next step answered with everything that is secret. */
  refusing(echo: Echo, which: number): Refusal {
    const { elsewhere } = this.crowd;
    return (request) =>
      request.number === which ? echo.response({ request, secrets: this.canaries, elsewhere }) : undefined;
  }

  /** Takes a step and searches all that it shows. @returns the error with which it fails */
  async take(step: Step, refusal?: Refusal): Promise<CallError | undefined> {
    const { proxy } = this.crowd;
    proxy.clear();
    this.crowd.warn(
      Object.values(encodings).map((encode) => `deprecated: ${this.canaries.map(encode).join(" and ")}`),
    );
    proxy.before = refusal;
    const where = `${this.definition.type}: ${step}`;
    try {
      await this.call(step, where);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof CallError, String(error));
      const { partial } = error;
      this.exposure.search(`${where}: the error`, error.message, this.canaries);
      if (partial !== undefined) {
        const { id, properties, reasons } = partial;
        this.searchResponse(`${where}: what is left`, { ...properties, id, reasons });
      }
      return error;
    } finally {
      this.requests = proxy.requests.length;
      this.exposure.report(...this.crowd.strayed(proxy.requests));
      const shown = this.provider.takeShown();
      this.crowd.warned += shown.filter((line) => line.includes("deprecated: ")).length;
      this.exposure.search(`${where}: what is shown`, shown.join("\n"), this.canaries);
    }
  }

  private async call(step: Step, where: string): Promise<void> {
    const { provider, id, stub } = this;
    const state = { ...this.outputs, __provider: stub };
    switch (step) {
      case "create": {
        this.inputs = await this.check(where, {}, this.args);
        const created = await provider.create(this.inputs);
        this.learn(created.outputs);
        this.searchResponse(where, { ...created.outputs, id: created.id });
        this.id = created.id;
        this.outputs = inClear(created.outputs);
        return;
      }
      case "get":
      case "refresh": {
        const read = await (step === "get"
          ? provider.get(id, { __provider: stub })
          : provider.refresh(id, state));
        this.learn(read.outputs);
        this.searchResponse(where, { ...read.outputs, id: read.id });
        this.searchResponse(`${where}: inputs`, read.inputs ?? {});
        return;
      }
      case "update": {
        const news = await this.check(where, this.inputs, this.changed);
        this.canaries.push(...this.laterCanaries.filter((each) => !this.canaries.includes(each)));
        await provider.diff(id, state, news);
        const outputs = await provider.update(id, state, news);
        this.learn(outputs);
        this.searchResponse(where, outputs);
        this.outputs = inClear(outputs);
        return;
      }
      case "delete":
        return provider.delete(id, state);
    }
  }

  /** Also with every secret in the wrong form, which is refused and may be repeated in no reason. */
  private async check(where: string, olds: Properties, news: Properties): Promise<Properties> {
    const { inputs, failures } = await this.provider.check(olds, news);
    assert.deepEqual(failures, []);
    this.searchResponse(`${where}: checked`, inputs);
    const [other = ""] = this.canaries;
    const wrong = Object.fromEntries(
      Object.entries(news).map(([name, value]) => [
        name,
        name.startsWith("__") ? value : [[value, other], { inner: value }],
      ]),
    );
    const refused = await this.provider.check(olds, wrong);
    this.exposure.search(`${where}: refused`, JSON.stringify(refused.failures), this.canaries);
    for (const { property } of refused.failures) {
      // The engine prints the value of the property that a failure names.
      const [name = ""] = property.split(/[.[]/);
      assert.ok(!secretArguments(this.definition).includes(name), `${property} is named`);
    }
    return inClear(inputs);
  }

  private learn(outputs: Properties): void {
    this.canaries.push(
      ...canariesIn(this.definition, inClear(outputs)).filter(
        (text) => text.length >= 6 && !this.canaries.includes(text),
      ),
    );
  }

  private searchResponse(where: string, response: Properties): void {
    this.exposure.searchProperties(where, this.definition, response, this.canaries);
  }
}
