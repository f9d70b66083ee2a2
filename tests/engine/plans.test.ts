import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import { configurationFor } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

const { EntityAlias } = trivium.secrets.identity;
const { TotpMethod, TotpSecret } = trivium.secrets.mfa;

/** tests/lifecycles.test.ts compares the plan of each change of each class with what the service then returns. */
for (const adapter of adapters) {
  describe(`the plan of a resource that others take outputs of (${adapter})`, function () {
    this.timeout(300_000);
    stepByStep();

    const emulator = useEmulator({ resets: false });
    const stack = useSharedStack("engine-plans", () => configurationFor(emulator, "secrets"), { adapter });
    let mountAccessor: string;
    let entities: readonly string[];
    const program =
      ({ period = "30s", name = "alice", entity = 0 } = {}): Program =>
      () => {
        const alias = new EntityAlias("alias", { name, mountAccessor, canonicalId: entities[entity] ?? "" });
        const method = new TotpMethod("method", { issuer: "Acme", period });
        const triggers = { period: method.period };
        new TotpSecret("secret", { methodId: method.id, entityId: alias.canonicalId, triggers });
      };

    before(async () => {
      mountAccessor = emulator.secrets.addMount({ type: "userpass", path: "auth/people" }).accessor;
      entities = [0, 1].map(() => emulator.secrets.addEntity().id);
      await stack.up(program());
    });

    for (const [what, change, changes] of [
      ["leaves the children of a renamed alias alone", { name: "bob" }, { update: 1 }],
      ["replaces the secret of an alias that has another entity", { entity: 1 }, { update: 1, replace: 1 }],
      ["replaces the secret whose trigger changes", { period: "60s" }, { update: 1, replace: 1 }],
    ] as const) {
      it(`a plan ${what}`, async () => {
        const outcome = await stack.preview(program(change));
        assert.deepEqual(outcome.changes, changes, outcome.text);
      });
    }
  });
}
