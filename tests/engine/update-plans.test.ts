import assert from "node:assert/strict";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { given, updateOf } from "../cases/support/case";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { services } from "../support/proxy";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import type { Adapter } from "./support/adapter";
import { configurationFor } from "./support/projects";
import { useReceiver } from "./support/receiver";
import { type Outcome, type Program, useSharedStack } from "./support/shared-stack";
import { Providers, TestedResource } from "./support/tested-resource";

/** A plan fails where the update registers or reads something else than its preview. */
describe("update plans of a program with every class, which reads an output of each,", function () {
  this.timeout(300_000);
  stepByStep();

  const emulators = {
    documented: useEmulator({ resets: false, dialect: "documented", tokens }),
    hashicorp: useEmulator({ resets: false, dialect: "hashicorp", tokens }),
  };
  const receiver = useReceiver();
  const stack = useSharedStack(
    "engine-update-plans",
    () => configurationFor(emulators.documented, ...services),
    {
      environment: () => ({ PULUMI_EXPERIMENTAL: "true" }),
    },
  );
  const members: TestedResource[] = [];

  before(async () => void members.push(...(await TestedResource.prepareAll(emulators, receiver))));

  const program: Program = () => {
    const providers = new Providers(members);
    const resources = members.map((member) => member.declaration()(providers));
    return Object.fromEntries(
      resources.map((resource, index) => {
        const outputs = Object.entries(resource).filter(([, value]) => pulumi.Output.isInstance(value));
        return [`of-${members[index]?.name ?? ""}`, pulumi.all(Object.fromEntries(outputs))];
      }),
    );
  };
  const keepClassesThatInheritNothing = async (): Promise<void> => {
    await stack.destroy();
    const kept = members.filter(({ resourceClass }) => resourceClass.definition.inherits === undefined);
    members.splice(0, members.length, ...kept);
  };
  const planned = async (): Promise<Outcome> => {
    const plan = join(stack.directory, "plan.json");
    await stack.preview(program, { plan });
    return stack.up(program, { plan });
  };
  const change = (): void =>
    members.forEach((member) => {
      const { resourceCase, context } = member;
      const update = updateOf(resourceCase);
      former.set(member, member.args);
      member.args = given({ ...member.args, ...update?.(context) });
    });
  const former = new Map<TestedResource, TestedResource["args"]>();
  const changeBack = (): void =>
    members.forEach((member) => (member.args = former.get(member) ?? member.args));

  for (const [what, prepare, adapter] of [
    ["an update plan is kept by the creation", () => undefined, "dynamic"],
    ["an update plan is kept without a change", () => undefined, "dynamic"],
    ["an update plan is kept with changes", change, "dynamic"],
    ["an update plan is kept by a move to the plugin", () => undefined, "plugin"],
    ["an update plan is kept with the plugin, without a change", () => undefined, "plugin"],
    ["an update plan is kept with the plugin, with changes", changeBack, "plugin"],
    ["an update plan is kept by a move back to dynamic resources", () => undefined, "dynamic"],
    ["an update plan is kept by the creation with the plugin", () => stack.destroy(), "plugin"],
    [
      "an update plan is kept where only a warning of the preview reads the state",
      keepClassesThatInheritNothing,
      "plugin",
    ],
  ] as const satisfies readonly (readonly [string, () => unknown, Adapter])[]) {
    it(what, async () => {
      await prepare();
      await stack.useAdapter(adapter);
      const { text } = await planned();
      assert.doesNotMatch(text, /violates plan|not allowed by the plan/);
    });
  }
});
