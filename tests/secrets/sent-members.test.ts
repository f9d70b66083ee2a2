import assert from "node:assert/strict";
import { snakeCase } from "../../sdk/base/json";
import { definitionIn } from "../../sdk/resource/definition";
import { resourceCases } from "../cases";
import { allDialects, caseIn, definitions, given, isOnWire } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { configurationWith } from "../support/proxy";
import { useEmulator } from "../support/use-emulator";

/** What a program must give beside the arguments that are required by themselves. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "secrets/scheduler:Access": ["token"],
  "secrets/scheduler:Role": ["policies"],
};

/** Sent with its default too: what an omitted type means is not documented. */
const defaulted = ["type"];

// A policy's `allowed_parameters` can contain only what a program sets (OpenBao 2.6, website/content/docs/concepts/policies.mdx).
describe("the members of an update in the secrets service", () => {
  for (const resourceCase of resourceCases.values()) {
    const { type } = resourceCase;
    const definition = definitions.get(type) ?? assert.fail(type);
    for (const dialect of type.startsWith("secrets/") ? resourceCase.dialects : []) {
      const emulator = useEmulator({ dialect });
      const inDialect = caseIn(dialect, resourceCase);
      const { arguments: rows } = definitionIn(definition, dialect);
      const isNeeded = (name: string): boolean =>
        (needed[type] ?? []).includes(name) ||
        allDialects.some((each) => definitionIn(definition, each).arguments[name]?.isRequired === true);
      const change = inDialect.changes.find(
        ({ argument, names, replaces }) =>
          !replaces && isOnWire(rows[argument]) && names.every((name) => !isNeeded(name)),
      );
      if (change === undefined) {
        continue;
      }
      it(`${type} in the ${dialect} dialect sends ${change.names.join(" and ")} and nothing that the program never set`, async () => {
        const context = await inDialect.prepare(emulatedServices(emulator, { dialect }));
        await inDialect.populate?.(emulator, context);
        const valid = Object.entries(inDialect.valid(context)).filter(
          ([name]) => isNeeded(name) || name === "mount",
        );
        const program = Object.fromEntries(valid) as Properties;
        const settings = configurationWith(() => ({ Dialect: dialect }));
        const engine = await FakeEngine.create(definition, emulator, program, settings);
        emulator.journal.clear();
        const changed = given({ ...program, ...change.to(context) }) as Properties;
        assert.equal(await engine.up(changed), "updated");
        const writes = emulator.journal
          .requests()
          .filter(({ method }) => method !== "GET" && method !== "LIST");
        const sent = writes.flatMap(({ body }) => Object.keys(Object(body) as object));
        const allowed = [...Object.keys(changed).map(snakeCase), ...defaulted];
        assert.deepEqual(
          [...new Set(sent)].filter((name) => !allowed.includes(name)),
          [],
        );
      });
    }
  }
});
