import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { casesIn } from "../../cases";
import { emulatedTokens as tokens } from "../../cases/support/emulated-services";
import { services } from "../../support/proxy";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { type Adapter, typeWith } from "../support/adapter";
import { connectionTo } from "../support/configuration";
import { productConfigurationFor } from "../support/projects";
import { useReceiver } from "../support/receiver";
import { type Program, useSharedStack } from "../support/shared-stack";
import { TestedResource } from "../support/tested-resource";

const project = "handover-aliases";

/** What the program has at a step: each changes the name or the parent of all that it has. */
interface Step {
  readonly adapter: Adapter;
  readonly number: number;
  readonly parents: Readonly<Record<"component" | "renamed" | "transforming" | "resource", Parents>>;
}

/** The one of this step, and the one before. */
interface Parents {
  readonly now: pulumi.Resource;
  readonly before?: pulumi.Resource;
}

interface Declared {
  readonly name: string;
  readonly options: pulumi.CustomResourceOptions;
}

const numbered = (name: string, number: number): string => `${name}-${number}`;
const renamed = (name: string, number: number, aliases: readonly pulumi.Input<string | pulumi.Alias>[]) => ({
  name: numbered(name, number),
  options: number === 0 ? {} : { aliases: [...aliases] },
});
const former = (name: string, number: number): pulumi.Alias => ({ name: numbered(name, number - 1) });
const moved = (name: string, { now, before }: Parents): Declared => ({
  name,
  options: { parent: now, ...(before === undefined ? {} : { aliases: [{ parent: before }] }) },
});

/** The ways in which a resource is somewhere else than before, each with what says so. */
const ways: Readonly<Record<string, (name: string, type: string, step: Step) => Declared>> = {
  name: (name, _type, { number }) => renamed(name, number, [former(name, number)]),
  output: (name, _type, { number }) => renamed(name, number, [pulumi.output(former(name, number))]),
  type: (name, type, { number, adapter }) =>
    renamed(name, number, [{ ...former(name, number), type: typeWith(adapter, type) }]),
  urn: (name, type, { number, adapter }) =>
    renamed(name, number, [
      `urn:pulumi:test::${project}::${typeWith(adapter, type)}::${numbered(name, number - 1)}`,
    ]),
  parent: (name, _type, { parents }) => moved(name, parents.component),
  resource: (name, _type, { parents }) => moved(name, parents.resource),
  component: (name, _type, { parents }) => ({ name, options: { parent: parents.renamed.now } }),
  both: (name, _type, { number, parents }) => {
    const { options, ...rest } = renamed(name, number, [former(name, number)]);
    return { ...rest, options: { ...options, parent: parents.renamed.now } };
  },
  transform: (name, _type, { number }) => renamed(name, number, []),
  transformation: (name, _type, { number }) => renamed(name, number, []),
  ofcomponent: (name, _type, { number, parents }) => ({
    ...renamed(name, number, []),
    options: { parent: parents.transforming.now },
  }),
};

/** Adds the alias to what the program gives none. */
function withFormerName<Options extends pulumi.ResourceOptions>(
  way: string,
  { name, opts }: { readonly name: string; readonly opts: Options },
): Options | undefined {
  const [, start, number] = new RegExp(`^(.*-${way})-([12])$`).exec(name) ?? [];
  return start === undefined
    ? undefined
    : { ...opts, aliases: [...((opts.aliases ?? []) as pulumi.Alias[]), former(start, Number(number))] };
}

describe("aliases of a program and the other adapter in one update", function () {
  this.timeout(600_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, dialect: "hashicorp", tokens });
  const receiver = useReceiver();
  const stack = useSharedStack(project, () => productConfigurationFor(emulator, ...services));
  const members: (readonly [way: string, TestedResource])[] = [];
  before(async () => {
    const cases = [...casesIn("hashicorp").values()];
    const names = Object.keys(ways);
    const copies = names.flatMap(() => cases);
    const all = await TestedResource.prepareAll(emulator, "hashicorp", receiver, copies);
    all.forEach((member, index) => {
      const way = names[Math.floor(index / cases.length)] ?? assert.fail();
      member.name += `-${way}`;
      members.push([way, member]);
    });
    emulator.provisioning.addOrganization({ name: "parents" });
  });

  const program =
    (number: number, adapter: Adapter): Program =>
    () => {
      pulumi.runtime.registerStackTransformation((args) => {
        const opts = withFormerName("transformation", args);
        return opts && { props: args.props, opts };
      });
      pulumi.runtime.registerResourceTransform((args) => {
        const opts = withFormerName("transform", args);
        return opts && { props: args.props, opts };
      });
      const component = (name: string, options?: pulumi.ComponentResourceOptions) =>
        new pulumi.ComponentResource("tests:Team", name, {}, options);
      const components = [0, 1, 2].map((each) => component(`team-${each}`));
      const projects = [0, 1, 2].map(
        (each) =>
          new trivium.provisioning.Project(`home-${each}`, { organization: "parents", name: `home-${each}` }),
      );
      const pair = (all: readonly pulumi.Resource[]): Parents => {
        const [now, before] = [all[number], all[number - 1]];
        return { now: now ?? assert.fail(), ...(before && { before }) };
      };
      const aliases = number === 0 ? [] : [{ name: `group-${number - 1}` }];
      const parents = {
        component: pair(components),
        resource: pair(projects),
        renamed: { now: component(`group-${number}`, { aliases }) },
        transforming: {
          now: component("transforming", {
            transforms: [
              (args) => {
                const opts = withFormerName("ofcomponent", args);
                return opts && { props: args.props, opts };
              },
            ],
          }),
        },
      };
      // A provider of its own is renamed too.
      const connection = connectionTo(emulator, "provisioning");
      const provider = new trivium.Provider(`provider-${number}`, connection, {
        aliases: number === 0 ? [] : [{ name: `provider-${number - 1}` }],
      });
      new trivium.provisioning.Project(
        "provided",
        { organization: "parents", name: "provided" },
        { provider },
      );
      for (const [way, member] of members) {
        const declare = ways[way] ?? assert.fail(way);
        const { name, options } = declare(member.name, member.resourceCase.type, {
          adapter,
          number,
          parents,
        });
        new member.resourceClass(name, member.args, options);
      }
    };
  /** @returns what has changed, by name */
  const moves = async (number: number, adapter: Adapter) => {
    await stack.useAdapter(adapter);
    const before = emulator.journal.count();
    const { steps, text } = await stack.up(program(number, adapter));
    const requests = emulator.journal.requests().slice(before);
    assert.deepEqual(
      requests.map(({ method, target }) => `${method} ${target}`),
      [],
      text,
    );
    await stack.previewWithoutChanges(program(number, adapter));
    // Each package has a default provider, which comes and goes with its resources.
    return [...steps].flatMap(([name, done]) =>
      name === "default" ? [] : done.map((each) => `${each} ${name}`),
    );
  };

  it("a resource of every class is kept, whichever option names its former place, when the stack moves to the plugin", async () => {
    await stack.up(program(0, "dynamic"));
    assert.deepEqual(await moves(1, "plugin"), []);
  });

  it("a resource of every class is kept, with every form of alias, when the stack moves back", async () => {
    const done = await moves(2, "dynamic");
    // The provider's text comes into state; the plugin's provider has no successor that is dynamic.
    assert.deepEqual(
      done.filter((each) => !each.startsWith("update ")),
      ["create provider-2", "delete provider-1"],
    );
  });

  it("no object of the matrix is left in the service", () => stack.destroy().then(() => undefined));
});
