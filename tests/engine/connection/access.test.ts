import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import {
  configurationFor,
  withOrganization,
  failureOf,
  numbered,
  organization,
  programOf,
  projectsIn,
  projectType,
} from "../support/projects";
import { TestStack } from "../support/stack";

describe("a stack whose token may no longer see its resources", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  const names = numbered(4);

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-access", configurationFor(emulator));
    await stack.up(programOf(names));
  });

  afterEach(() => stack.setEnvironment({ TRIVIUM_PROVISIONING_TOKEN: undefined }));

  after(() => {
    stack.remove();
  });

  const tokens: readonly {
    readonly what: string;
    readonly make: () => string;
    readonly fails: readonly ("refresh" | "destroy")[];
    readonly says: readonly RegExp[];
  }[] = [
    {
      what: "a wrong token",
      make: () => "canary-wrong-token",
      fails: ["refresh", "destroy"],
      says: [/returned 401/, /comes from the environment variable TRIVIUM_PROVISIONING_TOKEN/],
    },
    {
      what: "a token that is answered 404 everywhere",
      make: () => emulator.provisioning.addToken({ access: "none" }),
      fails: ["refresh", "destroy"],
      says: [
        /404 for project prj-\w+/,
        /was deleted, or the token has no access to it/,
        /State is unchanged/,
      ],
    },
    {
      what: "a token that may see but not delete",
      make: () => emulator.provisioning.addToken({ access: "read" }),
      fails: ["destroy"],
      says: [/404 for project prj-\w+, although it exists/, /the token lacks the permission/],
    },
  ];

  for (const { what, make, fails, says } of tokens) {
    it(`keeps everything with ${what}`, async () => {
      const before = await stack.resources();
      const existing = projectsIn(emulator);
      stack.setEnvironment({ TRIVIUM_PROVISIONING_TOKEN: make() });
      for (const operation of fails) {
        const text = await failureOf(stack[operation]());
        says.forEach((expected) => assert.match(text, expected));
        assert.deepEqual(await stack.resources(), before);
      }
      assert.deepEqual(projectsIn(emulator), existing);
      assert.ok(!stack.output.includes("canary-wrong-token"));
    });
  }

  it("names both ways out when the organization is gone, and takes one", async () => {
    const ids = projectsIn(emulator).map(({ id }) => id);
    const before = await stack.resources();
    emulator.provisioning.removeOrganization(organization);
    for (const operation of [() => stack.refresh(), () => stack.destroy()]) {
      const text = await failureOf(operation());
      assert.match(text, /pulumi state delete/);
      for (const id of ids) {
        assert.ok(text.includes(`TRIVIUM_ASSUME_GONE=${id}`), text);
      }
      assert.deepEqual(await stack.resources(), before);
    }
    const [first = "", ...others] = ids;
    stack.setEnvironment({ TRIVIUM_ASSUME_GONE: first });
    await failureOf(stack.refresh());
    const left = await stack.resources(projectType);
    assert.deepEqual(left.map(({ id }) => id).sort(), others.toSorted());
    stack.setEnvironment({ TRIVIUM_ASSUME_GONE: others.join(",") });
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
  });
});
