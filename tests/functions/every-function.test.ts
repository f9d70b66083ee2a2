import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { isSecret } from "@pulumi/pulumi";
import { className } from "../../sdk/resource/definition";
import * as library from "../../sdk/index";
import { useEnvironment } from "../connection/environment";
import {
  confidentialFunctions,
  functionCases,
  functions,
  newFixtures,
  type Fixtures,
} from "../cases/functions";
import { emulatedTokens } from "../cases/support/emulated-services";
import { definitions } from "../support/services";
import { failure } from "../http/calls";
import { useMocks, valueOf } from "../resource/mocks";
import { useEmulator } from "../support/use-emulator";

const resourceNames = [...definitions.values()].map(className);

type OutputForm = (args: unknown) => pulumi.Output<unknown>;

/** The form of a function with outputs; `undefined` for those that are for scripts alone. */
function outputFormOf(name: string): OutputForm | undefined {
  return `${name}Output`
    .split(".")
    .reduce<unknown>((part, member) => (part as Readonly<Record<string, unknown>>)[member], library) as
    OutputForm | undefined;
}

// What every function promises; the files of the classes have what each of them does.
describe("every function", () => {
  const emulator = useEmulator({ tokens: emulatedTokens });
  useEnvironment(() => emulator.environment);

  for (const [name, { valid, extras, token }] of Object.entries(functionCases)) {
    const call = functions.get(name) ?? assert.fail(name);
    const fixtures = async (): Promise<Fixtures> => {
      const prepared = await newFixtures(emulator, extras);
      process.env.SECRETS_TOKEN = token?.(prepared) ?? emulatedTokens.secrets;
      return prepared;
    };

    it(`the function ${name} rejects missing, unknown or wrongly typed arguments, without a request`, async () => {
      const args = valid(await fixtures());
      const messageOf = async (given: object): Promise<string> => (await failure(call(given))).message;
      assert.equal(await messageOf({ ...args, unheard: 1 }), `${name}: has no member "unheard".`);
      for (const argument of Object.keys(args)) {
        const message = await messageOf({ ...args, [argument]: [{}] });
        assert.ok(message.startsWith(`${name}: ${argument}`), message);
        if (!name.includes(".list") && /^(?:id|name|roleName|\w+Id)$/.test(argument)) {
          assert.match(await messageOf({ ...args, [argument]: "" }), /must not be empty/);
        }
      }
      assert.equal(emulator.journal.count(), 0);
      for (const argument of Object.keys(args)) {
        const { [argument]: _omitted, ...rest } = valid(await fixtures());
        // Without an optional argument, it does its work.
        const [outcome] = await Promise.allSettled([call(rest)]);
        if (emulator.journal.count() === 0) {
          assert.ok(outcome.status === "rejected");
          assert.ok((outcome.reason as Error).message.startsWith(`${name}: `), String(outcome.reason));
        }
      }
    });

    describe("in a program", () => {
      useMocks();

      const withOutputs = outputFormOf(name);
      if (withOutputs === undefined) {
        it(`in a program, ${name} is rejected with an error that names the resource to use instead`, async () => {
          const { message } = await failure(call(valid(await fixtures())));
          const [, itself, resource] = /^(\S+) .*use the resource (\S+) instead\.$/.exec(message) ?? [];
          assert.equal(itself, name, message);
          assert.ok(resourceNames.includes(resource ?? ""), message);
          assert.equal(emulator.journal.count(), 0);
        });
      } else {
        it(`in a program, ${name} takes outputs, and returns the same result as in a script`, async () => {
          const args = valid(await fixtures());
          const result = withOutputs(args);
          assert.deepEqual(await valueOf(result), await call(args));
          assert.equal(await isSecret(result), confidentialFunctions.includes(name));
        });
      }
    });
  }
});
