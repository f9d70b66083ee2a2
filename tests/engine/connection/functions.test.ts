import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  withOrganization,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { getProject, getProjectOutput, listProjects, listProjectsOutput, Project } = trivium.provisioning;

class Team extends pulumi.ComponentResource {
  constructor(name: string, inner?: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, inner);
    if (inner === undefined) {
      new Team(`${name}-inner`, { parent: this });
    } else {
      new Project(name, { organization, name }, { parent: this });
    }
  }
}

/** Every way in which a function can depend on what does not exist yet, by the name of the stack's output. */
function questions(): Record<string, pulumi.Output<unknown>> {
  const project = new Project("payments", { organization, name: "payments" });
  const team = new Team("team");
  const counts = ({ statusCounts }: trivium.provisioning.ListProjectsResult): number => statusCounts.total;
  return {
    byId: getProjectOutput({ id: project.id }).name,
    // The name is known in a preview, the project it names is not there.
    byName: getProjectOutput({ organization, name: project.name }).name,
    inList: listProjectsOutput({ organization, names: [project.name] }).projects[0]!.name,
    afterResource: listProjectsOutput({ organization }, { dependsOn: project }).apply(counts),
    afterList: listProjectsOutput({ organization }, { dependsOn: [project] }).apply(counts),
    afterOutput: listProjectsOutput({ organization }, { dependsOn: pulumi.output(project) }).apply(counts),
    afterComponent: listProjectsOutput({ organization, q: "team" }, { dependsOn: [team] }).projects[0]!.name,
    secret: getProjectOutput({ organization, name: pulumi.secret(project.name) }).name,
  };
}

describe("functions in a program", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  const preview = async (program: () => unknown): Promise<void> => {
    await stack.preview(async () => {
      await program();
      return undefined;
    });
  };

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-functions", configurationFor(emulator));
  });

  after(() => {
    stack.remove();
  });

  it("are unknown in a preview that still makes what they ask about, and make no request", async () => {
    const known: string[] = [];
    let asked: string[] = [];
    await preview(() => {
      const outputs = questions();
      asked = Object.keys(outputs);
      Object.entries(outputs).forEach(([name, output]) => output.apply(() => known.push(name)));
    });
    assert.equal(asked.length, 8);
    assert.deepEqual(known, []);
    assert.equal(emulator.journal.count(), 0);
  });

  it("hold values after the update, secret where an argument is", async () => {
    await stack.up(() => Promise.resolve(questions()));
    const outputs = await stack.outputs();
    const total = emulator.inspect().provisioning.projects.length;
    assert.deepEqual(
      Object.fromEntries(Object.entries(outputs).map(([name, { value, secret }]) => [name, [value, secret]])),
      {
        byId: ["payments", false],
        byName: ["payments", false],
        inList: ["payments", false],
        // How many projects the other one has left when they ask is not theirs to know.
        afterResource: [outputs.afterResource?.value, false],
        afterList: [outputs.afterList?.value, false],
        afterOutput: [outputs.afterOutput?.value, false],
        afterComponent: ["team-inner", false],
        secret: ["payments", true],
      },
    );
    for (const { value } of [outputs.afterResource, outputs.afterList, outputs.afterOutput].map(
      (output) => output!,
    )) {
      assert.ok(value === total || value === total - 1, String(value));
    }
  });

  it("are known in a preview of what exists", async () => {
    const known: string[] = [];
    await preview(() => {
      Object.entries(questions()).forEach(([name, output]) => output.apply(() => known.push(name)));
    });
    assert.equal(known.length, 8);
  });

  it("with a provider whose settings are not known yet, are unknown or reject clearly", async () => {
    let known = false;
    let rejection: unknown;
    emulator.journal.clear();
    await preview(async () => {
      const source = new Project("source", { organization, name: "source" });
      const address = source.id.apply(() => emulator.provisioning.address);
      const provider = new trivium.Provider("later", { provisioning: { address, token: "any" } });
      listProjectsOutput({ organization }, { provider }).apply(() => (known = true));
      rejection = await listProjects({ organization }, { provider }).catch((error: unknown) => error);
    });
    assert.equal(known, false);
    assert.match(
      String(rejection),
      /provisioning\.listProjects cannot be called yet: settings of its provider .*Use provisioning\.listProjectsOutput/,
    );
    assert.equal(emulator.journal.count(), 0);
  });

  it("are secret only when an argument or the result is, not because the provider holds a token", async () => {
    const other = await emulatorWithOrganization();
    const { id } = other.provisioning.addProject({ organization, name: "elsewhere" });
    const workspace = other.provisioning.addWorkspace({ organization, name: "web" });
    const { address, token } = other.provisioning;
    const asking = (
      options: pulumi.InvokeOutputOptions,
      name: string,
    ): Record<string, pulumi.Output<unknown>> => ({
      [`${name}Project`]: getProjectOutput({ id }, options).name,
      [`${name}Count`]: listProjectsOutput({ organization }, options).statusCounts.total,
      [`${name}Argument`]: getProjectOutput({ id: pulumi.secret(id) }, options).name,
      [`${name}Secret`]: trivium.provisioning.listNotificationConfigurationsOutput(
        { workspaceId: workspace.id },
        options,
      ).notificationConfigurations.length,
    });
    class Asking extends pulumi.ComponentResource {
      readonly responses: Record<string, pulumi.Output<unknown>>;
      constructor(name: string, options: pulumi.ComponentResourceOptions) {
        super("test:index:Asking", name, {}, options);
        this.responses = asking({ parent: this }, name);
      }
    }
    const asked = await TestStack.create("engine-secret-functions", {});
    try {
      await asked.up(() => {
        const provider = new trivium.Provider("other", { provisioning: { address, token } });
        const component = new Asking("component", { providers: [provider] });
        return Promise.resolve({ ...asking({ provider }, "provider"), ...component.responses });
      });
      const outputs = Object.entries(await asked.outputs());
      assert.deepEqual(
        Object.fromEntries(outputs.map(([name, { value, secret }]) => [name, [value, secret]])),
        {
          providerProject: ["elsewhere", false],
          providerCount: [2, false],
          providerArgument: ["elsewhere", true],
          providerSecret: [0, true],
          componentProject: ["elsewhere", false],
          componentCount: [2, false],
          componentArgument: ["elsewhere", true],
          componentSecret: [0, true],
        },
      );
    } finally {
      asked.remove();
      await other.close();
    }
  });

  it("use the provider that they are given", async () => {
    const other = await emulatorWithOrganization();
    other.provisioning.addProject({ organization, name: "elsewhere" });
    const { address, token } = other.provisioning;
    const found: unknown[] = [];
    await preview(async () => {
      const provider = new trivium.Provider("other", { provisioning: { address, token } });
      const args = { organization, name: "elsewhere" };
      found.push((await getProject(args, { provider })).name);
      getProjectOutput(args, { provider }).name.apply((name) => found.push(name));
    });
    await other.close();
    assert.deepEqual(found, ["elsewhere", "elsewhere"]);
  });

  const misuse: readonly { readonly what: string; readonly call: () => unknown; readonly says: RegExp }[] = [
    {
      what: "no arguments",
      call: () => listProjects(undefined as never),
      says: /provisioning\.listProjects.*organization/,
    },
    {
      what: "no arguments of an output form",
      call: () => listProjectsOutput(undefined as never),
      says: /provisioning\.listProjects.*organization/,
    },
    {
      what: "an output where the promise form wants a value",
      call: () => getProject({ id: pulumi.output("prj-1") as never }),
      says: /provisioning\.getProject: id .*getProjectOutput/,
    },
    {
      what: "an argument that does not exist",
      call: () => getProject({ id: "prj-1", nmae: "x" } as never),
      says: /provisioning\.getProject: .*nmae/,
    },
    {
      what: "arguments that exclude each other",
      call: () => getProject({ id: "prj-1", name: "x" }),
      says: /takes either id, or organization and name/,
    },
    {
      what: "another kind of provider",
      call: () => getProject({ id: "prj-1" }, { provider: { address: "https://example.com" } as never }),
      says: /provisioning\.getProject: `provider` must be a trivium\.Provider/,
    },
    {
      what: "another kind of provider of an output form",
      call: () => getProjectOutput({ id: "prj-1" }, { provider: "eu" as never }),
      says: /provisioning\.getProject: `provider` must be a trivium\.Provider/,
    },
    {
      what: "an object that does not exist",
      call: () => getProject({ organization, name: "nobody" }),
      says: /The project "nobody" in the organization acme does not exist/,
    },
  ];

  for (const { what, call, says } of misuse) {
    it(`say what is wrong with ${what}`, async () => {
      const program: Program = async () => {
        await Promise.resolve(call());
        return undefined;
      };
      const text = await failureOf(stack.preview(program));
      assert.match(text, says);
      assert.doesNotMatch(text, /TypeError|Cannot read properties/);
    });
  }
});
