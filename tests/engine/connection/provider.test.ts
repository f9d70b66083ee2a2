import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { encodingsFound } from "../../support/texts";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { nameIn } from "../support/outcome";
import { configurationFor, organization, projectsIn, withOrganization } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { Project } = trivium.provisioning;

const tokens = { home: "canary-token-home+/=", away: 'canary-token-away"&"' } as const;

/** A dynamic resource as somebody writes it by hand, which reads the stack's configuration when it is created. */
class HandWritten extends pulumi.CustomResource {
  constructor(name: string, options: pulumi.CustomResourceOptions) {
    const __provider = `exports.handler = () => {
      let config;
      return {
        configure: async (request) => { config = request.config; },
        create: async () => ({ id: "made", outs: { seen: config.get("plain") ?? "nothing" } }),
      };
    }`;
    super("pulumi-nodejs:dynamic:Resource", name, { __provider, seen: undefined }, options);
  }
}

class Team extends pulumi.ComponentResource {
  constructor(name: string, options: pulumi.ComponentResourceOptions) {
    super("test:index:Team", name, {}, options);
    new Project(name, { organization, name }, { parent: this });
  }
}

describeWithAdapters("trivium.Provider", function (adapter) {
  this.timeout(60_000);

  const home = useEmulator({ resets: false, ...withOrganization, tokens: { provisioning: tokens.home } });
  const away = useEmulator({ resets: false, ...withOrganization, tokens: { provisioning: tokens.away } });
  // Stack configuration and providers win against the environment.
  const environment = () => ({ PROVISIONING_ADDR: "http://127.0.0.1:9", PROVISIONING_TOKEN: "wrong" });
  const configuration = () => configurationFor(home, "provisioning");
  const stack = useSharedStack("engine-provider", configuration, { adapter, environment });
  const names = () =>
    [home, away].map((each) =>
      projectsIn(each)
        .map(({ name }) => name)
        .sort(),
    );
  const programWith =
    (declare: (provider: trivium.Provider) => unknown): Program =>
    () => {
      const provisioning = { address: away.provisioning.address, token: tokens.away };
      declare(new trivium.Provider("away", { provisioning }));
    };

  it("a provider sends the resources of one program to two services, each with its own token", async () => {
    await stack.up(
      programWith((provider) => {
        const settings = new trivium.Provider("patient", { provisioning: { maxRetries: 9 } });
        new Project("here", { organization, name: "here" });
        new Project("also", { organization, name: "also" }, { provider: settings });
        new Project("there", { organization, name: "there" }, { provider });
        new Team("team", { providers: [provider] });
      }),
    );
    const [here, there] = names();
    assert.deepEqual(here, ["also", "here"]);
    assert.deepEqual(there, ["team", "there"]);
    for (const { journal } of [home, away]) {
      assert.equal(journal.count({ where: ({ caller }) => caller !== "main" }), 0);
    }
  });

  it("doctor checks each provider in state whose connection differs from the stack's", async () => {
    const report = await stack.library("doctor", "provisioning", "--stack", "test", "--json");
    const { services } = JSON.parse(report) as {
      readonly services: readonly Readonly<Record<"provider" | "address", string | null>>[];
    };
    assert.deepEqual(
      services.map(({ provider, address }) => [provider, address]),
      [
        [undefined, home.provisioning.address],
        ["away", away.provisioning.address],
        ["patient", home.provisioning.address],
      ],
    );
    const printed = await stack.library("doctor", "--stack", "test");
    assert.match(printed, /^provisioning {2}http:\S+ {2}documented {2}trivium\.Provider away$/m);
    for (const token of Object.values(tokens)) {
      assert.deepEqual(encodingsFound(report + printed, token), []);
    }
  });

  it("a provider is stored in state: refresh and destroy do not require a program", async () => {
    const { changes } = await stack.refresh();
    assert.deepEqual(changes, {});
    await stack.destroy();
    assert.deepEqual(names(), [[], []]);
  });

  it("a provider takes outputs as arguments, and is unknown in a preview that does not know them yet", async () => {
    const program: Program = () => {
      const source = new Project("source", { organization, name: "source" });
      const address = source.id.apply(() => away.provisioning.address);
      const token = source.name.apply(() => tokens.away);
      const provider = new trivium.Provider("away", { provisioning: { address, token } });
      new Project("there", { organization, name: "there" }, { provider });
    };
    const requests = () => [home, away].map(({ journal }) => journal.count());
    const before = requests();
    const { changes } = await stack.preview(program);
    assert.deepEqual(changes, { create: 4 });
    assert.deepEqual(requests(), before);
    await stack.up(program);
    assert.deepEqual(names(), [["source"], ["there"]]);
  });

  it("a provider hides stack configuration from hand-written dynamic resources only where a component has it", async () => {
    await stack.setConfiguration("engine-provider:plain", "something");
    await stack.up(
      programWith((provider) => {
        const inherited = new Team("inherited", { providers: [provider] });
        new HandWritten("without", { parent: inherited });
        const parent = new Team("own", {});
        new Project("elsewhere", { organization, name: "elsewhere" }, { parent, provider });
        new HandWritten("with", { parent });
      }),
    );
    const made = await stack.resources("pulumi-nodejs:dynamic:Resource");
    assert.deepEqual(Object.fromEntries(made.map(({ urn, outputs }) => [nameIn(urn), outputs?.["seen"]])), {
      // With the plugin, the provider of the component is none of dynamic resources.
      without: adapter === "dynamic" ? "nothing" : "something",
      with: "something",
    });
    await stack.destroy();
    assert.deepEqual(names(), [[], []]);
  });

  it("a provider encrypts tokens that were set in plain text, in state and in output", async () => {
    const state = await stack.state();
    assert.match(state, /"trivium:provisioningToken": ?\{/);
    for (const token of Object.values(tokens)) {
      assert.deepEqual(encodingsFound(state + stack.output, token), []);
    }
  });
});
