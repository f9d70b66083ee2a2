import assert from "node:assert/strict";
import { CopiedExample, type Finished } from "../../examples/copied-example";
import { useEmulator } from "../../support/use-emulator";

const organization = "acme";

describe("the steps of the example of pipelines, as they are", function () {
  this.timeout(300_000);

  const emulator = useEmulator({ resets: false });
  let example: CopiedExample;
  let environment: Readonly<Record<string, string>>;
  let readingToken: string;

  const step = (name: string, more: Readonly<Record<string, string>> = {}): Promise<Finished> =>
    example.run(".", ["./pipeline.sh", name], { ...environment, ...more });
  const projects = (): string[] =>
    emulator
      .inspect()
      .provisioning.projects.filter(({ isDefault }) => !isDefault)
      .map(({ name }) => name);
  const writes = (): number => emulator.journal.requests().filter(({ method }) => method !== "GET").length;

  before(async () => {
    emulator.provisioning.addOrganization({ name: organization });
    readingToken = emulator.provisioning.addToken({ access: "read" });
    example = new CopiedExample("ci", emulator.environment);
    // The check of the repository has looked at the program's types.
    environment = await example.pulumiEnvironment({ PULUMI_NODEJS_TRANSPILE_ONLY: "true" });
    const { succeeded, text } = await example.pulumi(".", ["stack", "init", "production"]);
    assert.ok(succeeded, text);
  });
  beforeEach(() => emulator.journal.clear());
  after(() => {
    example.remove();
  });

  it("preview shows what would change, with a token that may only read", async () => {
    const { succeeded, text } = await step("preview", { PROVISIONING_TOKEN: readingToken });
    assert.ok(succeeded, text);
    assert.match(text, /payments-production/);
    assert.match(text, /\+ 2 to create/);
    assert.equal(writes(), 0);
  });

  it("up changes it, and after that nothing has moved", async () => {
    const up = await step("up");
    assert.ok(up.succeeded, up.text);
    assert.deepEqual(projects(), ["payments-production"]);
    const drift = await step("drift");
    assert.ok(drift.succeeded, drift.text);
  });

  it("drift fails for what was changed in the service, shows it and leaves it alone", async () => {
    const [project] = emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault);
    emulator.provisioning.changeProject(project?.id ?? "", { name: "changed-by-hand" });
    const { succeeded, text } = await step("drift");
    assert.equal(succeeded, false);
    assert.match(text, /"changed-by-hand" => "payments-production"/);
    assert.equal(writes(), 0);
    assert.deepEqual(projects(), ["changed-by-hand"]);
  });

  it("up undoes that", async () => {
    const up = await step("up");
    assert.ok(up.succeeded, up.text);
    assert.deepEqual(projects(), ["payments-production"]);
  });

  it("every step ends before Pulumi begins when the token has ended, and says so", async () => {
    for (const name of ["preview", "up", "drift"]) {
      const { succeeded, text } = await step(name, { PROVISIONING_TOKEN: "token-that-has-ended" });
      assert.equal(succeeded, false);
      assert.match(text, /PROVISIONING_TOKEN/);
      assert.doesNotMatch(text, /Previewing|Updating/);
    }
    assert.equal(writes(), 0);
  });

  it("tells which steps there are", async () => {
    const { succeeded, text } = await step("deploy");
    assert.equal(succeeded, false);
    assert.match(text, /usage: .*pipeline\.sh preview\|up\|drift/);
    assert.equal(emulator.journal.count(), 0);
  });
});
