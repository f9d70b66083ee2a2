import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { outputNames } from "../../sdk/resource/definition";
import { textsWithin } from "../../sdk/resource/state/entry";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { adapters } from "../engine/support/adapter";
import { nameIn } from "../engine/support/outcome";
import { configurationFor } from "../engine/support/projects";
import { useReceiver } from "../engine/support/receiver";
import { type Program, useSharedStack } from "../engine/support/shared-stack";
import { TestedResource } from "../engine/support/tested-resource";
import { services } from "../support/proxy";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { inClear } from "../support/values";
import { assertHidden } from "./canaries";

/** Who says that outputs are secret. */
type Sayer = "option" | "transformation" | "transform" | "state";

for (const adapter of adapters) {
  describe(`secrets in previews and saved plans (${adapter})`, function () {
    this.timeout(300_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp", tokens });
    const receiver = useReceiver();
    const configuration = () => ({
      ...configurationFor(emulator, ...services),
      "trivium:dialect": "hashicorp",
    });
    const stack = useSharedStack(`secret-previews-${adapter}`, configuration, { adapter });
    let members: readonly TestedResource[];
    let canaries: string[];
    before(async () => (members = await TestedResource.prepareAll(emulator, "hashicorp", receiver)));

    /** Uses every output of every resource elsewhere, once they are there. */
    const program =
      (sayer: Sayer, uses: boolean): Program =>
      () => {
        const namesOf = new Map(
          members.map(({ name, resourceClass }) => [name, [...outputNames(resourceClass.definition)]]),
        );
        const saidBy = (asked: Sayer, name: string) => (sayer === asked ? namesOf.get(name) : undefined);
        pulumi.runtime.registerStackTransformation(({ name, props, opts }) => {
          const additionalSecretOutputs = saidBy("transformation", name);
          return additionalSecretOutputs && { props, opts: { ...opts, additionalSecretOutputs } };
        });
        pulumi.runtime.registerResourceTransform(({ name, props, opts }) => {
          const additionalSecretOutputs = saidBy("transform", name);
          return additionalSecretOutputs && { props, opts: { ...opts, additionalSecretOutputs } };
        });
        for (const member of members) {
          const additionalSecretOutputs = saidBy("option", member.name);
          // The engine itself returns what it knows of a resource that stays as it is.
          const change = member.resourceCase.changes.find(({ replaces }) => !replaces);
          const resource = member.declare(additionalSecretOutputs ? { additionalSecretOutputs } : {}, {
            ...member.args,
            ...(uses && change?.to(member.context)),
          });
          if (uses) {
            const values = (namesOf.get(member.name) ?? []).map((name): [string, unknown] => [
              name,
              Reflect.get(resource, name),
            ]);
            new pulumi.Stash(`use-of-${member.name}`, { input: Object.fromEntries(values) });
          }
        }
      };
    /** Neither a plan on the screen nor a saved one shows what is secret, or what the library hides. */
    const search = async (sayer: Sayer): Promise<void> => {
      const plan = join(stack.directory, "plan.json");
      const { text, changes } = await stack.preview(program(sayer, true), { plan });
      assert.equal(changes.create, members.length, text);
      assert.ok((changes.update ?? 0) > members.length / 2, text);
      assertHidden(`the plan, said by the ${sayer},`, text, canaries);
      assert.doesNotMatch(text, /__\w/);
      const { resourcePlans } = JSON.parse(readFileSync(plan, "utf8")) as {
        readonly resourcePlans: Readonly<Record<string, { readonly goal: { readonly inputDiff: unknown } }>>;
      };
      const goals = Object.values(resourcePlans).map(({ goal }) => goal.inputDiff);
      // What a resource remembers of its object is in its state, which a saved plan repeats.
      const uses = Object.entries(resourcePlans).filter(([urn]) => nameIn(urn).startsWith("use-of-"));
      assert.equal(uses.length, members.length);
      assertHidden(`the saved plan, said by the ${sayer},`, JSON.stringify([goals, uses]), canaries);
      assert.doesNotMatch(JSON.stringify(goals), /"__(?!provider)\w/);
    };

    it("an update makes every output secret that the option names", async () => {
      await stack.up(program("option", false));
      const inState = await stack.resourcesInClear();
      const found = members.flatMap(({ name, args, resourceClass: { definition } }) => {
        const { id = "", outputs = {} } =
          inState.find(({ urn }) => nameIn(urn) === name) ?? assert.fail(name);
        const clear = inClear(outputs as Parameters<typeof inClear>[0]);
        const texts = Object.keys(definition.outputs).flatMap((output) => textsWithin(clear[output]));
        // Ids and arguments are shown.
        const shown = JSON.stringify([id, args, name]);
        return texts.filter((text) => text.length >= 8 && !shown.includes(text));
      });
      const everywhere = new Set(["default", ...Object.values(configuration()).map(String)]);
      canaries = [...new Set(found)].filter((text) => !everywhere.has(text));
      assert.ok(canaries.length > members.length, String(canaries.length));
    });

    for (const sayer of ["option", "transformation", "transform", "state"] as const) {
      it(`a preview hides every output that the ${sayer} marks as secret`, () => search(sayer));
    }
  });
}
