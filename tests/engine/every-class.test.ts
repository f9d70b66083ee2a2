import assert from "node:assert/strict";
import * as library from "../../sdk";
import type { Dialect } from "../../sdk/base/settings";
import { className, collectClasses } from "../../sdk/resource/definition";
import { placedCases } from "../cases";
import { type ResourceCase } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import { configurationWithoutRetries, providerWith } from "../support/fake-engine";
import { type Properties, type Provider, ProviderProcess } from "../support/provider-process";
import { configurationWith } from "../support/proxy";
import { useEmulator } from "../support/use-emulator";
import { useRunning } from "../support/use-running";
import { secret } from "../support/values";
import { useReceiver } from "./support/receiver";

const canary = "canary-of-a-stranger-5d20";
const classes = collectClasses(library);

/** What every class must get right in both adapters, without the CLI. */
describe("with a program that has a mistake, every class", function () {
  this.timeout(60_000);
  const emulators = {
    documented: useEmulator({ dialect: "documented" }),
    hashicorp: useEmulator({ dialect: "hashicorp" }),
  };
  const receiver = useReceiver();
  const configurationOf = (dialect: Dialect): Record<string, string> => ({
    ...configurationWithoutRetries(emulators[dialect]),
    ...configurationWith(() => ({ Dialect: dialect })),
  });
  const pluginFor = (dialect: Dialect): ProviderProcess =>
    useRunning(
      "a plugin",
      () => ProviderProcess.startPlugin(configurationOf(dialect)),
      (plugin) => plugin.stop(),
    );
  const plugins = { documented: pluginFor("documented"), hashicorp: pluginFor("hashicorp") };

  const adapters = (
    resourceCase: ResourceCase,
    dialect: Dialect,
  ): Readonly<Record<"dynamic" | "plugin", Provider>> => {
    const { definition } = classes.get(resourceCase.type) ?? assert.fail(resourceCase.type);
    const plugin = plugins[dialect];
    plugin.about = { urn: `urn:pulumi:dev::shop::trivium:${resourceCase.type}::it` };
    return { dynamic: providerWith(definition, configurationOf(dialect)), plugin };
  };

  for (const { resourceCase } of placedCases) {
    const { definition, get } = classes.get(resourceCase.type) ?? assert.fail(resourceCase.type);
    const name = className(definition);

    it(`${name} rejects an unknown argument without showing its value, and a known one too if it is secret`, async () => {
      const [dialect = assert.fail()] = resourceCase.dialects;
      const services = emulatedServices(emulators[dialect], { dialect, receiver });
      const valid = resourceCase.valid(await resourceCase.prepare(services)) as Properties;
      const [argument = ""] = Object.keys(valid);
      for (const [adapter, provider] of Object.entries(adapters(resourceCase, dialect))) {
        const isPlugin = adapter === "plugin";
        const mark = (value: Properties[string]): Properties[string] => (isPlugin ? secret(value) : value);
        const news: Properties = {
          ...valid,
          [argument]: mark([{ a: canary }]),
          tokn: mark(canary),
          plain: canary,
          nested: { deep: [mark(canary)] },
          ...(isPlugin ? {} : { __secrets: [argument, "tokn", "nested"] }),
        };
        const { failures } = await provider.check({}, news);
        const reasons = failures.map(({ reason }) => reason);
        assert.deepEqual(new Set(failures.map(({ property }) => property)), new Set([""]), adapter);
        for (const unknown of ["tokn", "plain", "nested"]) {
          assert.match(reasons.join("\n"), new RegExp(`^${unknown} is not a valid argument; `, "m"));
        }
        assert.ok(!JSON.stringify(reasons).includes(canary), adapter);
      }
    });

    if (get === undefined) {
      continue;
    }
    for (const dialect of resourceCase.dialects) {
      it(`${name} does not read an object that does not exist or that was deleted after it was read (${dialect})`, async () => {
        const context = await resourceCase.prepare(
          emulatedServices(emulators[dialect], { dialect, receiver }),
        );
        const providers = adapters(resourceCase, dialect);
        const { id, outputs } = await providers.dynamic.create(resourceCase.valid(context) as Properties);
        const missing = `${id}-missing`;
        for (const [adapter, provider] of Object.entries(providers)) {
          const read = await provider.get(id, {});
          assert.equal(read.id, id, adapter);
          for (const again of [
            () => provider.get(missing, {}),
            () => provider.refresh(missing, read.outputs),
          ]) {
            await assert.rejects(again, { message: /does not exist/ }, adapter);
          }
          assert.equal((await provider.refresh(missing, outputs)).id, "", `managed, ${adapter}`);
        }
      });
    }
  }
});
