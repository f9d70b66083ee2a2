import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { OperationFailed, type Program, TestStack } from "../support/stack";

const type = "pulumi-nodejs:dynamic/trivium/provisioning:Project";

describe("a project whose resource is replaced by hand", function () {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  let stack: TestStack;
  before(async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    stack = await TestStack.create("engine-replaced-by-hand", {
      "trivium:provisioningAddress": emulator.provisioning.address,
      "trivium:provisioningToken": { secret: emulator.provisioning.token },
    });
  });
  after(() => {
    stack.remove();
  });

  const projects = (): readonly string[] =>
    emulator
      .inspect()
      .provisioning.projects.filter(({ name }) => name === "payments")
      .map(({ id }) => id);

  const declaring =
    (name: string, adopt: boolean): Program =>
    () => {
      new trivium.provisioning.Project(name, { organization: "acme", name: "payments", adopt });
      return Promise.resolve(undefined);
    };

  it("is deleted and created again", async () => {
    await stack.up(declaring("payments", false));
    const [id] = projects();
    const urns = (await stack.resources(type)).map(({ urn }) => urn);
    await stack.up(declaring("payments", false), { replace: urns });
    const [replacement, ...more] = projects();
    assert.notEqual(replacement, id);
    assert.deepEqual(more, []);
    assert.deepEqual(await stack.ids(type), [replacement]);
    await stack.previewWithoutChanges(declaring("payments", false), { refresh: true });
  });

  // The engine makes the new resource first, which adopts the project, and then deletes the old one.
  it("is kept when its resource gets another name and may adopt", async () => {
    const [id] = projects();
    const { text } = await stack.up(declaring("renamed", true));
    assert.match(
      text,
      new RegExp(`provisioning:Project ${String(id)} was not deleted: the resource "renamed" manages it`),
    );
    assert.deepEqual(projects(), [id]);
    assert.deepEqual(await stack.ids(type), [id]);
  });

  it("is refused, and kept, when its resource gets another name and may not adopt", async () => {
    const before = projects();
    await assert.rejects(stack.up(declaring("renamed again", false)), (error) => {
      assert.ok(error instanceof OperationFailed);
      assert.match(error.text, /already exists \(id prj-/);
      return true;
    });
    assert.deepEqual(projects(), before);
    await stack.previewWithoutChanges(declaring("renamed", true));
  });

  it("is deleted by the next operation as ever", async () => {
    await stack.destroy();
    assert.deepEqual(projects(), []);
  });
});
