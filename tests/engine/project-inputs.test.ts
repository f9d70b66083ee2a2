import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../support/use-emulator";
import { configurationFor, withOrganization, failureOf, organization } from "./support/projects";
import { type Program, TestStack } from "./support/stack";

const { Project } = trivium.provisioning;

/** As a program in JavaScript may do it, where nobody checks types. */
function project(name: string, args: Readonly<Record<string, unknown>>): trivium.provisioning.Project {
  return new Project(name, args as unknown as trivium.provisioning.ProjectArgs);
}

describe("the arguments of a project", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-project-inputs", configurationFor(emulator));
  });

  after(() => {
    stack.remove();
  });

  const refused: readonly {
    readonly what: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly says: readonly RegExp[];
  }[] = [
    {
      what: "a name of two characters",
      args: { organization, name: "ab" },
      says: [/property name value \{ab\} has a problem: .*\b3\b/],
    },
    {
      what: "a name of 37 characters",
      args: { organization, name: "a".repeat(37) },
      says: [/property name value \{a+\} has a problem: .*\b36\b/],
    },
    {
      what: "a name with other signs",
      args: { organization, name: "pay/ments!" },
      says: [/property name value \{pay\/ments!\} has a problem: .*letters/],
    },
    {
      what: "no organization",
      args: { name: "payments" },
      says: [/has a problem: organization .*required/],
    },
    {
      what: "another type than text",
      args: { organization, name: 12345 },
      says: [/property name value \{12345\} has a problem: .*(string|text)/],
    },
    {
      what: "everything that is wrong, at once",
      args: { organization: "", name: "ab", Adopt: true, descripton: "x" },
      says: [
        /property organization .*has a problem: must not be empty/,
        /property name .*has a problem: .*\b3\b/,
        /property Adopt .*did you mean adopt\?/,
        /property descripton .*is not a valid argument; expected one of .*organization/,
      ],
    },
  ];

  for (const { what, args, says } of refused) {
    it(`are refused in a preview: ${what}`, async () => {
      const text = await failureOf(
        stack.preview(() => {
          project("payments", args);
          return Promise.resolve(undefined);
        }),
      );
      says.forEach((expected) => assert.match(text, expected));
      assert.equal(emulator.journal.count(), 0);
    });
  }

  it("pass as long as they are not known", async () => {
    const program: Program = () => {
      const source = project("source", { organization, name: "source" });
      const name = pulumi.interpolate`${source.id}-`.apply((text) => text.slice(0, 2));
      project("follower", { organization: source.permissions.apply(() => organization), name });
      return Promise.resolve(undefined);
    };
    const { changes } = await stack.preview(program);
    assert.deepEqual(changes, { create: 3 });
    assert.equal(emulator.journal.count(), 0);
    // Once it is known, it is looked at before anything is sent.
    assert.match(await failureOf(stack.up(program)), /property name value \{pr\} has a problem: .*\b3\b/);
    assert.equal(emulator.journal.count({ method: "POST" }), 1);
    await stack.destroy();
  });

  it("need a service: without any configuration there is one error that names every place", async () => {
    const unconfigured = await TestStack.create("engine-unconfigured", {});
    const text = await failureOf(
      unconfigured.up(() => {
        project("payments", { organization, name: "payments" });
        return Promise.resolve(undefined);
      }),
    );
    unconfigured.remove();
    for (const place of [
      "pulumi config set trivium:provisioningAddress",
      "PROVISIONING_ADDR",
      "pulumi config set --secret trivium:provisioningToken",
      "PROVISIONING_TOKEN",
      "new trivium.Provider",
    ]) {
      assert.ok(text.includes(place), text);
    }
  });
});
