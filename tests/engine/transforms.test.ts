import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import { connectionTo } from "./support/configuration";
import { productConfigurationFor } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

const organization = "acme";

/** Who gives the options: each kind of transformation, and the paths as the engine writes them. */
const givers = ["direct", "quoted", "all", "transformation", "transform", "component"] as const;
type Giver = (typeof givers)[number];

for (const adapter of adapters) {
  describe(`options that transforms set (${adapter})`, function () {
    this.timeout(240_000);
    stepByStep();

    const seed = { organizations: [{ name: organization }] };
    const emulator = useEmulator({ resets: false, dialect: "hashicorp", seed });
    const elsewhere = useEmulator({ resets: false, dialect: "hashicorp", seed });
    const configuration = () => productConfigurationFor(emulator, "provisioning");
    const stack = useSharedStack(`transforms-${adapter}`, configuration, { adapter });

    /** Gives options to the resource that is named after the giver. */
    const program =
      (given: pulumi.CustomResourceOptions, description: string, services = emulator): Program =>
      () => {
        const optionsFor = (giver: Giver, name: string) => (name === giver ? given : undefined);
        const added = (more: object | undefined, args: pulumi.ResourceTransformArgs) =>
          more && { props: args.props, opts: { ...args.opts, ...more } };
        pulumi.runtime.registerStackTransformation(({ name, props, opts }) => {
          const more = optionsFor("transformation", name);
          return more && { props, opts: { ...opts, ...more } };
        });
        pulumi.runtime.registerResourceTransform((args) => added(optionsFor("transform", args.name), args));
        const transforms = [
          (args: pulumi.ResourceTransformArgs) => added(optionsFor("component", args.name), args),
        ];
        const parent = new pulumi.ComponentResource("tests:Team", "team", {}, { transforms });
        const provider = new trivium.Provider(
          services === emulator ? "here" : "there",
          connectionTo(services, "provisioning"),
        );
        const quoted = (paths: string[] = []) => paths.map((path) => `["${path}"]`);
        const { ignoreChanges, replaceOnChanges } = given;
        const direct: Partial<Record<Giver, pulumi.CustomResourceOptions>> = {
          direct: given,
          quoted: { ignoreChanges: quoted(ignoreChanges), replaceOnChanges: quoted(replaceOnChanges) },
          component: { parent },
          // Everything is ignored.
          all: ignoreChanges ? { ignoreChanges: ["*"] } : { replaceOnChanges: ["*"] },
        };
        for (const giver of givers) {
          const args = { organization, name: giver, description };
          new trivium.provisioning.Project(giver, args, { provider, ...direct[giver] });
        }
      };
    const projects = (of = emulator) =>
      of.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault);

    it("an argument in ignoreChanges is left alone, no matter who sets the option", async () => {
      await stack.up(program({}, "first"));
      for (const { id, name } of projects()) {
        emulator.provisioning.changeProject(id, { name: `${name}-outside` });
      }
      await stack.up(program({ ignoreChanges: ["name"] }, "second"));
      assert.deepEqual(
        projects()
          .map(({ name }) => name)
          .toSorted(),
        givers.map((giver) => `${giver}-outside`).toSorted(),
      );
    });

    it("the option customTimeouts, which dynamic resources do not get, is warned of no matter who sets it", async () => {
      const { text } = await stack.preview(program({ customTimeouts: { create: "1h" } }, "first"));
      const warned = givers.filter((giver) =>
        text.includes(`The \`customTimeouts\` option of the Project "${giver}" has no effect`),
      );
      const setting: readonly Giver[] = ["direct", "transformation", "transform", "component"];
      assert.deepEqual(warned, adapter === "dynamic" ? setting : []);
    });

    it("a resource moves to another provider's service if replaceOnChanges requests it, no matter who sets the option", async () => {
      const moving = program({ replaceOnChanges: ["provider"] }, "second", elsewhere);
      assert.equal((await stack.preview(moving)).changes.replace, givers.length);
      await stack.up(moving);
      assert.equal(projects(elsewhere).length, givers.length);
    });
  });
}
