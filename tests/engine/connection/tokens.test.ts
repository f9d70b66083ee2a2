import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import {
  configurationFor,
  withOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const emulator = useEmulator({ resets: false, ...withOrganization });

describe("a stack whose token was rotated", function () {
  this.timeout(60_000);

  let stack: TestStack;

  before(async () => {
    stack = await TestStack.create("engine-tokens", configurationFor(emulator));
  });

  after(() => stack.remove());

  it("cannot be destroyed with the token that state remembers, and says how to override it", async () => {
    await stack.up(programOf(["payments"]));
    const former = emulator.provisioning.token;
    emulator.provisioning.rotateToken();
    await stack.setConfiguration("trivium:provisioningToken", emulator.provisioning.token, true);
    const text = await failureOf(stack.destroy());
    assert.match(text, /returned 401/);
    assert.match(text, /comes from the configuration value trivium:provisioningToken/);
    assert.match(text, /TRIVIUM_PROVISIONING_TOKEN overrides it/);
    assert.equal(projectsIn(emulator).length, 1);
    assert.ok(!stack.output.includes(former));
  });

  it("is destroyed with the token of TRIVIUM_PROVISIONING_TOKEN, which beats every other", async () => {
    const { token } = emulator.provisioning;
    stack.setEnvironment({ TRIVIUM_PROVISIONING_TOKEN: token });
    await stack.destroy();
    assert.deepEqual(projectsIn(emulator), []);
    assert.ok(!(stack.output + (await stack.state())).includes(token));
  });
});

describe("a token in a file", function () {
  this.timeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "token-"));
  const file = join(folder, "token");
  const rotate = (): void => writeFileSync(file, `${emulator.provisioning.rotateToken()}\n`);
  const program: Program = () => {
    const first = new trivium.provisioning.Project("first", { organization, name: "first" });
    // An id that is known is a preview's no more: the first project has just been created.
    const name = first.id.apply(() => {
      rotate();
      return "second";
    });
    new trivium.provisioning.Project("second", { organization, name });
    return Promise.resolve(undefined);
  };

  after(() => rmSync(folder, { recursive: true }));

  for (const [place, configuration, environment] of [
    ["trivium:provisioningTokenFile", { "trivium:provisioningTokenFile": file }, {}],
    ["PROVISIONING_TOKEN_FILE", {}, { PROVISIONING_TOKEN_FILE: file }],
  ] as const) {
    it(`is read again for every request when ${place} names it`, async () => {
      const address = { "trivium:provisioningAddress": emulator.provisioning.address };
      const stack = await TestStack.create(
        "engine-token-file",
        { ...address, ...configuration },
        environment,
      );
      try {
        rotate();
        await stack.up(program);
        assert.deepEqual(
          projectsIn(emulator).map(({ name }) => name),
          ["first", "second"],
        );
        rmSync(file);
        const text = await failureOf(stack.destroy());
        assert.match(text, new RegExp(`${place}\\b.* is not a readable file`));
        rotate();
        await stack.destroy();
        assert.deepEqual(projectsIn(emulator), []);
        assert.equal(emulator.journal.count({ status: 401, where: ({ method }) => method === "POST" }), 0);
      } finally {
        stack.remove();
      }
    });
  }
});
