import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeWithAdapters } from "../support/adapter";
import { HandWritten } from "../support/hand-written";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  projectsIn,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { Project } = trivium.provisioning;

const tokens = { home: "canary-token-home+/=", away: 'canary-token-away"&"' } as const;

/** The forms in which a text may hide in state. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
}

class Team extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, options);
    new Project(name, { organization, name }, { parent: this });
  }
}

describeWithAdapters("trivium.Provider", function (adapter) {
  this.timeout(60_000);

  let home: Emulator;
  let away: Emulator;
  let stack: TestStack;
  const names = (emulator: Emulator): string[] =>
    projectsIn(emulator)
      .map(({ name }) => name)
      .sort();
  const programWith =
    (declare: (provider: trivium.Provider) => unknown, args?: trivium.ProvisioningConnectionArgs): Program =>
    () => {
      const provisioning = { address: away.provisioning.address, token: tokens.away, ...args };
      declare(new trivium.Provider("away", { provisioning }));
      return Promise.resolve(undefined);
    };

  before(async function () {
    this.timeout(900_000);
    [home, away] = await Promise.all([
      emulatorWithOrganization({ tokens: { provisioning: tokens.home } }),
      emulatorWithOrganization({ tokens: { provisioning: tokens.away } }),
    ]);
    stack = await TestStack.create("engine-provider", configurationFor(home), {}, adapter);
  });

  after(async () => {
    stack.remove();
    await Promise.all([home.close(), away.close()]);
  });

  it("sends the resources of one program to two services, each with its own token", async () => {
    await stack.up(
      programWith((provider) => {
        new Project("here", { organization, name: "here" });
        new Project("there", { organization, name: "there" }, { provider });
        new Team("team", { providers: [provider] });
      }),
    );
    assert.deepEqual(names(home), ["here"]);
    assert.deepEqual(names(away), ["team", "there"]);
    assert.deepEqual(
      [home, away].map(({ journal }) => journal.count({ where: ({ caller }) => caller !== "main" })),
      [0, 0],
    );
  });

  it("is remembered by state: refresh and destroy need no program", async () => {
    const { changes } = await stack.refresh();
    assert.deepEqual(changes, {});
    await stack.destroy();
    assert.deepEqual([names(home), names(away)], [[], []]);
  });

  it("takes outputs as arguments, and is unknown in a preview that still makes them", async () => {
    const program: Program = () => {
      const source = new Project("source", { organization, name: "source" });
      const address = source.id.apply(() => away.provisioning.address);
      const token = source.name.apply(() => tokens.away);
      const provider = new trivium.Provider("away", { provisioning: { address, token } });
      new Project("there", { organization, name: "there" }, { provider });
      return Promise.resolve(undefined);
    };
    const requests = [home, away].map(({ journal }) => journal.count());
    const { changes } = await stack.preview(program);
    assert.deepEqual(changes, { create: 4 });
    assert.deepEqual(
      [home, away].map(({ journal }) => journal.count()),
      requests,
    );
    await stack.up(program);
    assert.deepEqual([names(home), names(away)], [["source"], ["there"]]);
    await stack.destroy();
    assert.deepEqual(names(away), []);
  });

  it("hides stack configuration from hand-written dynamic resources only where a component has it", async () => {
    await stack.setConfiguration("engine-provider:plain", "something");
    await stack.up(
      programWith((provider) => {
        const inherited = new Team("inherited", { providers: [provider] });
        new HandWritten("without", { parent: inherited });
        const parent = new Team("own", {});
        new Project("there", { organization, name: "there" }, { parent, provider });
        new HandWritten("with", { parent });
      }),
    );
    const made = await stack.resources("pulumi-nodejs:dynamic:Resource");
    assert.deepEqual(
      Object.fromEntries(made.map(({ urn, outputs }) => [urn.split("::").at(-1), outputs?.["seen"]])),
      {
        // With the plugin, the provider of the component is none of dynamic resources.
        without: adapter === "dynamic" ? "nothing" : "something",
        with: "something",
      },
    );
    await stack.destroy();
    await stack.removeConfiguration("engine-provider:plain");
  });

  it("inherits from stack configuration what it does not mention", async () => {
    away.provisioning.addOrganization({ name: "long-names" });
    const name = "a-name-of-more-than-thirty-six-characters".slice(0, 38);
    const program = programWith(
      (provider) => new Project("long", { organization: "long-names", name }, { provider }),
    );
    assert.match(await failureOf(stack.preview(program)), /36 characters/);
    await stack.setConfiguration("trivium:provisioningDialect", "hashicorp");
    await stack.preview(program);
    await stack.removeConfiguration("trivium:provisioningDialect");
    const documented = programWith(
      (provider) => new Project("long", { organization: "long-names", name }, { provider }),
      { dialect: "hashicorp" },
    );
    await stack.preview(documented);
  });

  it("uses the address and the token of stack configuration when it mentions neither", async () => {
    await stack.up(() => {
      const provider = new trivium.Provider("patient", { provisioning: { maxRetries: 9 } });
      new Project("here", { organization, name: "here" }, { provider });
      return Promise.resolve(undefined);
    });
    assert.deepEqual(names(home), ["here"]);
    await stack.destroy();
  });

  it("never sends tokens of the environment to its own address", async () => {
    const stranger = await startEmulator();
    stack.setEnvironment({ PROVISIONING_TOKEN: tokens.home });
    const text = await failureOf(
      stack.up(
        programWith((provider) => new Project("there", { organization, name: "there" }, { provider }), {
          address: stranger.provisioning.address,
          token: undefined,
        }),
      ),
    );
    stack.setEnvironment({ PROVISIONING_TOKEN: undefined });
    assert.match(text, /provisioning service is not configured\. Missing: token/);
    assert.equal(stranger.journal.count(), 0);
    await stranger.close();
  });

  it("keeps tokens that it was given in clear encrypted, in state and in what is printed", async () => {
    const state = await stack.state();
    assert.match(state, /"trivium:provisioningToken": ?\{/);
    const shown = state + stack.output;
    for (const form of Object.values(tokens).flatMap(formsOf)) {
      assert.ok(!shown.includes(form), form);
    }
  });
});
