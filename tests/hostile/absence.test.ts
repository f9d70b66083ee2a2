import assert from "node:assert/strict";
import { callFunction } from "../cases/functions";
import { resourceCases } from "../cases";
import { canAdopt, caseIn, type Dialect } from "../cases/support/case";
import { FakeEngine, type ProviderAccess, throughPlugin } from "../support/fake-engine";
import { type Properties, ProviderProcess } from "../support/provider-process";
import type { Refusal, Replacement } from "../support/proxy";
import { definitions, type TriedCase, triedFunctions, useServices } from "../support/services";
import { gatewayBodies } from "../support/gateway";
import { useRunning } from "../support/use-running";
import { Selection, tried } from "./support/extent";
import { complaintsAbout } from "./support/judge";
import { outcomeOf, providerOf, respondingCases } from "./support/tested-calls";

const cases: readonly TriedCase[] = [...resourceCases.values()]
  .filter(({ type }) => respondingCases.some((each) => each.type === type))
  .flatMap((resourceCase) =>
    resourceCase.dialects.map((dialect) => {
      const name = `${resourceCase.type} in the ${dialect} dialect`;
      return { ...caseIn(dialect, resourceCase), dialect, name };
    }),
  );

describe("a gateway that answers 404 for the service", function () {
  this.timeout(600_000);

  const services = useServices();
  const pluginFor = (Dialect: Dialect): ProviderProcess =>
    useRunning(
      "a plugin",
      () => ProviderProcess.startPlugin(services.configuration({ Dialect })),
      (plugin) => plugin.stop(),
    );
  const plugins = { documented: pluginFor("documented"), hashicorp: pluginFor("hashicorp") };
  const selected = new Selection(9);
  const everything: (body: Replacement) => Refusal = (body) => () => ({ status: 404, ...body });
  const reads: typeof everything = (body) => {
    return ({ method }) => (method === "GET" ? { status: 404, ...body } : undefined);
  };
  const foreignTo = (service: string): Replacement[] => selected.from(gatewayBodies(service));

  for (const resourceCase of cases) {
    const { type, name, dialect } = resourceCase;
    const definition = definitions.get(type) ?? assert.fail(type);
    const { service } = definition;
    const adopts = canAdopt(definition, [dialect]);

    const adapters: Readonly<Record<string, () => ProviderAccess>> = {
      dynamic: () => ({ operate: (calls) => calls(providerOf(services, type), {}) }),
      plugin: () => throughPlugin(plugins[dialect], definition),
    };
    const prepared = async (access: ProviderAccess) => {
      const { valid, changed } = await services.prepareAlone(resourceCase);
      return { valid, changed, engine: new FakeEngine(definition, access) };
    };
    const behind = async (alter: Refusal, work: () => Promise<unknown>) => {
      services.proxy.clear();
      let answered = 0;
      services.proxy.before = (request) => {
        const response = alter(request);
        answered += response === undefined ? 0 : 1;
        return response;
      };
      const outcome = await outcomeOf(work() as Promise<undefined>);
      services.proxy.clear();
      assert.deepEqual(outcome.message === undefined ? [] : complaintsAbout(outcome.message, []), [], name);
      return { ...outcome, answered };
    };

    for (const [adapter, access] of Object.entries(adapters)) {
      it(`${name} stays in state and in the service (${adapter})`, async () => {
        for (const body of foreignTo(service.name)) {
          for (const alter of [everything(body), reads(body)]) {
            const { valid, changed, engine } = await prepared(access());
            await engine.up(valid);
            const { id } = engine;
            tried(type, "absence");
            const refreshed = await behind(alter, () => engine.refresh());
            assert.equal(engine.id, id, `${String(body.body)}: it left state`);
            assert.equal(refreshed.kind, refreshed.answered === 0 ? "done" : "failed", name);
            if (refreshed.kind === "failed") {
              assert.match(refreshed.message ?? "", /gateway|HTML page|State is unchanged/);
            }
            await engine.up(valid);
            assert.equal(engine.id, id, name);
            await behind(alter, () => engine.up(changed));
            await engine.up(changed);
            const { kind, answered, message } = await behind(everything(body), () => engine.destroy());
            assert.equal(kind, answered === 0 ? "done" : "failed", `${String(body.body)}: ${message ?? ""}`);
          }
        }
      });

      it(`${name} is not created twice (${adapter})`, async () => {
        for (const body of foreignTo(service.name)) {
          for (const isWhole of [true, false]) {
            const { valid, engine } = await prepared(access());
            const { kind } = await behind(isWhole ? everything(body) : reads(body), () => engine.up(valid));
            assert.ok(!isWhole || kind === "failed", name);
            const { id } = engine;
            await engine.up(kind === "failed" && !isWhole && adopts ? { ...valid, adopt: true } : valid);
            assert.ok(engine.id, name);
            assert.ok(id === undefined || id === engine.id, name);
          }
        }
      });
    }
  }

  for (const triedFunction of triedFunctions) {
    const { name, title } = triedFunction;
    it(`${title} does not report that an object does not exist`, async () => {
      for (const body of foreignTo(name.split(".")[0] ?? "")) {
        const fixtures = await services.prepareFunction(triedFunction);
        services.proxy.clear();
        services.proxy.before = everything(body);
        const { kind, message = "" } = await outcomeOf(
          callFunction(triedFunction, fixtures).then((result) => ({ outputs: { result } as Properties })),
          (outputs) => outputs,
        );
        services.proxy.clear();
        tried(title, "absence");
        assert.equal(kind, "failed", String(body.body));
        assert.match(message, /gateway|HTML page/);
        assert.doesNotMatch(message, /does not exist\./);
      }
    });
  }
});
