import assert from "node:assert/strict";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { configureDirectory } from "../../secrets/directory/emulated-directory";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";

/** What an object must not share with another one, which the service refuses in a sentence of its own. */
describe("a value that another object has", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  const settings = { "trivium:dialect": "hashicorp" };
  beforeEach(() => configureDirectory(emulator, ["svc-1", "svc-2"]));

  const taken = [
    [
      "an account of another library set",
      librarySetDefinition,
      { name: "first", serviceAccountNames: ["svc-1"] },
      { name: "second", serviceAccountNames: ["svc-2"] },
      { name: "second", serviceAccountNames: ["svc-1"] },
    ],
    [
      "an account of another static role",
      staticRoleDefinition,
      { roleName: "first", username: "svc-1", rotationPeriod: "1d" },
      undefined,
      { roleName: "second", username: "svc-1", rotationPeriod: "1d" },
    ],
  ] as const;
  for (const [what, definition, first, second, taking] of taken) {
    it(`${what} is refused with the advice to give it up first or to repeat the update`, async () => {
      await FakeEngine.create(definition, emulator, first, settings);
      const engine = new FakeEngine(definition, emulator, settings);
      if (second !== undefined) {
        await engine.up(second);
      }
      await assert.rejects(engine.up(taking), ({ message }: Error) => {
        assert.match(message, /If another resource gives it up in the same update, run `pulumi up` again/);
        return true;
      });
    });
  }
});
