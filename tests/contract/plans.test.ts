import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { resourceCases } from "../cases";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { tokens } from "../faults/support/bench";
import { createWithoutNotes, troubles } from "../faults/support/records";
import type { Properties } from "../support/provider-process";
import { failureOf, unknownValues } from "../support/values";
import {
  GadgetContract,
  type ManagedProject,
  projectInputs,
  ProvisioningContract,
} from "./support/contracts";
import { gadgetStub } from "./support/gadget";

describe("check in the provider process", () => {
  const contract = new ProvisioningContract();
  const check = (args: Properties, olds: Properties = {}) =>
    contract.provider.check(olds, projectInputs(args));
  const reasons = async (args: Properties): Promise<Record<string, string>> => {
    const { failures } = await check(args);
    return Object.fromEntries(failures.map(({ property, reason }) => [property, reason]));
  };

  afterEach("no request is ever made", () => assert.equal(contract.emulator.journal.count(), 0));

  it("gives back what the program gave and adds nothing", async () => {
    const args = { organization: "acme", name: "payments" };
    assert.deepEqual(await check(args), { inputs: projectInputs(args), failures: [] });
    const hidden = { __urn: "test::test::::y", __run: { ignored: ["name"] } };
    assert.deepEqual(await check({ ...args, ...hidden }), { inputs: projectInputs(args), failures: [] });
  });

  for (const [kind, unknown] of Object.entries(unknownValues)) {
    it(`takes what is not known yet to be right: ${kind}`, async () => {
      for (const args of [
        { organization: unknown, name: unknown, adopt: unknown },
        { organization: { a: [unknown] }, name: [[unknown]], adopt: [{ b: { c: unknown } }] },
      ]) {
        assert.deepEqual(await check(args), { inputs: projectInputs(args), failures: [] });
      }
    });
  }

  it("still says what is wrong beside something that is not known yet", async () => {
    const { failures } = await check({ organization: unknownValues.string, name: "x" });
    assert.deepEqual(failures, [{ property: "name", reason: "must have at least 3 characters" }]);
  });

  it("says everything that is wrong at once, each against its argument", async () => {
    const failures = await reasons({ name: "a/", organisation: "acme", adopt: "yes" });
    assert.deepEqual(Object.keys(failures).sort(), ["", "adopt", "name", "organisation"]);
    // The engine would print the value of an argument that is not there as {<nil>}.
    assert.equal(failures[""], "organization is required");
    assert.match(failures.organisation ?? "", /is not a valid argument/);
    assert.match(failures.adopt ?? "", /must be true or false, not a string/);
  });

  const organization = "acme";
  const refused: readonly [string, Properties, string, RegExp][] = [
    ["two characters", { organization, name: "ab" }, "name", /at least 3/],
    ["37 characters", { organization, name: "n".repeat(37) }, "name", /at most 36/],
    ["forbidden characters", { organization, name: "pay/ments" }, "name", /letters, numbers/],
    ["a missing organization", { name: "payments" }, "", /^organization is required/],
    ["an empty organization", { organization: "", name: "payments" }, "organization", /empty/],
    ["a null name", { organization, name: null }, "", /^name must be a string, not null/],
    ["another spelling", { organization, name: "payments", Adopt: true }, "Adopt", /did you mean adopt\?/],
  ];
  for (const [what, args, property, reason] of refused) {
    it(`refuses ${what}`, async () => {
      const failures = await reasons(args);
      assert.deepEqual(Object.keys(failures), [property]);
      assert.match(failures[property] ?? "", reason);
    });
  }

  it("accepts names at both limits and of every allowed kind of character", async () => {
    for (const name of ["abc", "n".repeat(36), "Zahlungen für Köln_2 - тест"]) {
      assert.deepEqual((await check({ organization, name })).failures, [], name);
    }
  });

  it("accepts longer names in the other dialect", async () => {
    const provider = await contract.start({ "trivium:provisioningDialect": "hashicorp" });
    const { failures } = await provider.check({}, projectInputs({ organization, name: "n".repeat(41) }));
    assert.deepEqual(failures, [{ property: "name", reason: "must have at most 40 characters" }]);
  });

  describe("of a connection that cannot work", () => {
    const valid = projectInputs({ organization, name: "payments" });

    it("fails without an address, naming the three places to set it, beside what else is wrong", async () => {
      const provider = await contract.start({ "trivium:provisioningAddress": "" });
      const { failures } = await provider.check({}, projectInputs({ organization, name: "x" }));
      const [first, second] = failures;
      assert.deepEqual([failures.length, first?.property, second?.property], [2, "name", ""]);
      for (const place of [
        "`pulumi config set trivium:provisioningAddress`",
        "the environment variable PROVISIONING_ADDR",
        'new trivium.Provider("name", { provisioning: { address, token } })',
      ]) {
        assert.ok(second?.reason.includes(place), second?.reason);
      }
    });

    it("fails where the address is not an URL", async () => {
      const provider = await contract.start({ "trivium:provisioningAddress": "foo.example.com" });
      const { failures } = await provider.check({}, valid);
      assert.deepEqual(
        failures.map(({ property }) => property),
        [""],
      );
      assert.match(
        failures[0]?.reason ?? "",
        /^The configuration value trivium:provisioningAddress is not a valid URL/,
      );
    });

    it("warns once of a missing token, however many resources there are", async () => {
      const provider = await contract.start({ "trivium:provisioningToken": "" });
      for (let count = 0; count < 10; count++) {
        assert.deepEqual((await provider.check({}, valid)).failures, []);
      }
      const warning = await provider.engine.line(/Missing: token \(`pulumi config set --secret/);
      assert.deepEqual([warning.severity, warning.urn], ["warning", ""]);
      assert.equal(provider.engine.lines.length, 1);
    });
  });

  it("neither names nor repeats what the program marked as secret", async () => {
    // The engine prints the value of the property that a failure names.
    const name = "canary/secret-name";
    const result = await check({ organization, name, __secrets: ["name"] });
    assert.deepEqual(result.failures, [
      { property: "", reason: "name may only contain letters, numbers, spaces, - and _" },
    ]);
    assert.ok(!JSON.stringify(result.failures).includes("canary"));
  });

  it("says when a required argument disappears, instead of clearing it", async () => {
    const olds = projectInputs({ organization, name: "payments", adopt: true });
    const { inputs, failures } = await check({ organization }, olds);
    assert.deepEqual(inputs, projectInputs({ organization }));
    assert.deepEqual(failures, [{ property: "", reason: "name is required" }]);
  });

  it("fails as one message when the configuration cannot be understood", async () => {
    const provider = await contract.start({ "trivium:provisioningDialect": "klingon" });
    const { message } = await failureOf(
      provider.check({}, projectInputs({ organization, name: "payments" })),
    );
    assert.match(message, /trivium:provisioningDialect.*"documented"/);
  });
});

describe("configuration of the provider process", () => {
  const contract = new ProvisioningContract();

  it("is there for every one of 30 creations that are the first calls of the process", async () => {
    const organization = contract.organization();
    const names = Array.from({ length: 30 }, (_, index) => `project-${String(index).padStart(2, "0")}`);
    const created = await Promise.all(
      names.map((name) => contract.provider.create(projectInputs({ organization, name }))),
    );
    assert.equal(new Set(created.map(({ id }) => id)).size, 30);
    assert.deepEqual(contract.projectNames(organization).sort(), names);
  });
});

interface Row {
  readonly what: string;
  /** Makes state out of what stands in it after creation. */
  readonly outputs?: (outputs: Properties) => Properties;
  /** Makes the program's inputs out of those that the project was created with. */
  readonly inputs?: (inputs: Properties) => Properties;
  readonly changes: "none" | "unknown" | "some";
  readonly replaces?: string[];
}

const rows: readonly Row[] = [
  { what: "nothing changed", changes: "none" },
  { what: "name changed", inputs: (inputs) => ({ ...inputs, name: "other" }), changes: "unknown" },
  {
    what: "name is not known yet",
    inputs: (inputs) => ({ ...inputs, name: unknownValues.string }),
    changes: "unknown",
  },
  {
    what: "organization changed",
    inputs: (inputs) => ({ ...inputs, organization: "other" }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "organization is not known yet",
    inputs: (inputs) => ({ ...inputs, organization: unknownValues.string }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "both changed",
    inputs: (inputs) => ({ ...inputs, organization: "other", name: "other" }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "the name drifted and a refresh has seen it",
    outputs: (outputs) => ({ ...outputs, name: "by hand" }),
    changes: "unknown",
  },
  { what: "adopt appeared", inputs: (inputs) => ({ ...inputs, adopt: true }), changes: "none" },
  {
    what: "adopt disappeared",
    outputs: (outputs) => ({
      ...outputs,
      __managed: { organization: 1, name: 1, adopt: { as: true } },
    }),
    changes: "none",
  },
  {
    what: "the resource moved to another parent",
    inputs: (inputs) => ({ ...inputs, __urn: "urn:pulumi:test::other::x::y" }),
    changes: "none",
  },
  {
    what: "the caller's permissions changed",
    outputs: (outputs) => ({ ...outputs, permissions: { canUpdate: false } }),
    changes: "none",
  },
  {
    what: "state does not say what is managed",
    outputs: ({ __at, ...outputs }) => outputs,
    changes: "some",
  },
  {
    what: "state does not say what is managed, and organization changed",
    outputs: ({ __at, ...outputs }) => outputs,
    inputs: (inputs) => ({ ...inputs, organization: "other" }),
    changes: "some",
    replaces: ["organization"],
  },
  {
    what: "state says that more is managed",
    outputs: (outputs) => ({ ...outputs, __managed: { organization: 1, name: 1, formerly: 1 } }),
    changes: "some",
  },
];

describe("diff in the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  before(async () => {
    project = await contract.project();
  });

  for (const { what, changes, replaces = [], ...change } of rows) {
    const { outputs = (same: Properties) => same, inputs = (same: Properties) => same } = change;
    it(`returns ${changes} when ${what}${replaces.length === 0 ? "" : ", and replaces"}`, async () => {
      const requests = await contract.requestsOf(async () => {
        assert.deepEqual(
          await contract.provider.diff(project.id, outputs(project.outputs), inputs(project.inputs)),
          // Without a reason of ours an engine that replaces all the same replaces the project by itself.
          { changes, replaces, deleteBeforeReplace: replaces.length === 0 },
        );
      });
      assert.equal(requests, 0);
    });
  }
});

const ofGadget = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Gadget::gadget";
const password = "canary-password-5d1";
const label = "canary-unlikely";

describe("warnings of check in the provider process", () => {
  const contract = new GadgetContract([password]);
  const check = (args: Properties) =>
    contract.provider.check({}, { owner: "team-a", ...args, __provider: gadgetStub, __urn: ofGadget });
  const shown = async (args: Properties, last: RegExp) => {
    const result = await check(args);
    await contract.provider.engine.line(last);
    return { result, lines: contract.provider.engine.lines.splice(0) };
  };

  it("are shown once against the resource, to stay, and refuse nothing", async () => {
    const { result, lines } = await shown({ label: "unlikely" }, /^label/);
    assert.deepEqual(result.failures, []);
    const message = "label unlikely is unlikely to work";
    assert.deepEqual(lines, [{ severity: "warning", message, urn: ofGadget, ephemeral: false }]);
  });

  it("are shown beside what is refused", async () => {
    const { result, lines } = await shown({ label: "unlikely", owner: 5 }, /^label/);
    assert.deepEqual(result.failures, [{ property: "owner", reason: "must be a string, not a number" }]);
    assert.equal(lines.length, 1);
  });

  it("never show a secret, also where the program marked it as one", async () => {
    const args = { password, label, __secrets: ["label"] };
    const { lines } = await shown(args, /^password/);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ["label [secret] is unlikely to work", "password [secret] has no effect without key"],
    );
  });

  it("say nothing of what is not known yet", async () => {
    for (const unknown of Object.values(unknownValues)) {
      await check({ label: unknown, password: unknown });
      await check({ password: "long-enough-1", key: unknown });
    }
    const { lines } = await shown({ label: "unlikely" }, /^label/);
    assert.equal(lines.length, 1);
  });
});

/** One that is found by its name when its creation is repeated, and one whose secret is told once. */
const types = ["provisioning:Project", "secrets/directory:LibraryCheckout"];

describe("a creation whose notes cannot be written, of which the whole matrix is `npm run test:faults`", function () {
  this.timeout(60_000);

  let emulator: Emulator;
  let receiver: Receiver;
  before(async () => {
    [emulator, receiver] = await Promise.all([startEmulator({ tokens }), startReceiver()]);
  });
  after(() => Promise.all([emulator.close(), receiver.close()]));

  for (const adapter of ["dynamic", "plugin"] as const) {
    for (const type of types) {
      it(`brings ${type} into state when the directory is missing or the disk is full (${adapter})`, async () => {
        const faultCase = resourceCases.get(type);
        assert.ok(faultCase);
        const findings = await createWithoutNotes({ emulator, receiver }, faultCase, adapter);
        assert.deepEqual(findings, new Map(troubles.map((trouble) => [trouble, []])));
      });
    }
  }
});
