import assert from "node:assert/strict";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { allDialects, given, updateOf } from "../cases/support/case";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { services } from "../support/proxy";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import type { Adapter } from "./support/adapter";
import { configurationFor } from "./support/projects";
import { useReceiver } from "./support/receiver";
import { type Program, useSharedStack } from "./support/shared-stack";
import { optionsIn, TestedResource } from "./support/tested-resource";

/** A plan fails where the update registers or reads something else than its preview. */
describe("update plans of a program with every class, which reads an output of each,", function () {
  this.timeout(300_000);
  stepByStep();

  const emulators = {
    documented: useEmulator({ resets: false, dialect: "documented", tokens }),
    hashicorp: useEmulator({ resets: false, dialect: "hashicorp", tokens }),
  };
  const receiver = useReceiver();
  const configuration = () => configurationFor(emulators.documented, ...services);
  const environment = () => ({ PULUMI_EXPERIMENTAL: "true" });
  const stack = useSharedStack("engine-update-plans", configuration, { environment });
  let members: TestedResource[] = [];
  before(async () => {
    for (const dialect of allDialects) {
      members.push(...(await TestedResource.prepareAll(emulators[dialect], dialect, receiver)));
    }
  });

  const program: Program = () => {
    const optionsOf = optionsIn(members);
    return Object.fromEntries(
      members.map((member) => {
        const outputs = Object.entries(member.declare(optionsOf));
        const own = outputs.filter(([, value]) => pulumi.Output.isInstance(value));
        return [`of-${member.name}`, pulumi.all(Object.fromEntries(own))];
      }),
    );
  };
  const former = new Map<TestedResource, TestedResource["args"]>();
  const change = (): void =>
    members.forEach((member) => {
      const update = updateOf(member.resourceCase);
      former.set(member, member.args);
      member.args = given({ ...member.args, ...update?.(member.context) });
    });
  const changeBack = (): void =>
    members.forEach((member) => (member.args = former.get(member) ?? member.args));
  const keepClassesThatInheritNothing = async (): Promise<void> => {
    await stack.destroy();
    members = members.filter(({ resourceClass }) => resourceClass.definition.inherits === undefined);
  };

  const rows: readonly (readonly [title: string, adapter: Adapter, prepare?: () => unknown])[] = [
    ["by the creation", "dynamic"],
    ["without a change", "dynamic"],
    ["with changes", "dynamic", change],
    ["by a move to the plugin", "plugin"],
    ["with the plugin, without a change", "plugin"],
    ["with the plugin, with changes", "plugin", changeBack],
    ["by a move back to dynamic resources", "dynamic"],
    ["by the creation with the plugin", "plugin", () => stack.destroy()],
    ["where only a warning in the preview reads the state", "plugin", keepClassesThatInheritNothing],
  ];
  for (const [title, adapter, prepare] of rows) {
    it(`an update plan is kept ${title}`, async () => {
      await prepare?.();
      await stack.useAdapter(adapter);
      const plan = join(stack.directory, "plan.json");
      await stack.preview(program, { plan });
      const { text } = await stack.up(program, { plan });
      assert.doesNotMatch(text, /violates plan|not allowed by the plan/);
    });
  }
});
