import assert from "node:assert/strict";
import * as library from "../../../sdk/index";
import { InputError } from "../../../sdk/base/errors";
import { collectClasses } from "../../../sdk/resource/definition";
import { failure } from "../../http/calls";
import { declared, type ResourceClass, useMocks, warningsOf } from "../mocks";
import { decodeProgram, encodeRun } from "../../../sdk/resource/state/encoding";
import { noRunOptions } from "../../../sdk/resource/state/entry";

const classes = [...collectClasses(library).values()] as unknown as ResourceClass[];
const nameOf = ({ definition: { type } }: ResourceClass): string => type.slice(type.indexOf(":") + 1);
const args = { name: "subject", organization: "acme", workspaceIds: [], topics: ["Node"] };

const waits: Readonly<Record<string, string>> = {
  NotificationConfiguration: "verification.timeout",
  LibraryCheckout: "waitFor",
  EventGate: "timeout",
};

describe("an option that cannot work", () => {
  useMocks();

  for (const Class of classes) {
    const name = nameOf(Class);

    it(`an option that cannot work is rejected, or causes a warning, with what to use instead: ${name}`, async () => {
      const imported = Promise.resolve().then(() => new Class("subject", args, { import: "some-id" }));
      const { message } = await failure(imported, InputError);
      const start = `The option \`import\` of the ${name} "subject" is not supported for a dynamic resource. `;
      assert.ok(message.startsWith(start), message);
      assert.equal(message.includes("npx pulumi-trivium use-plugin"), Class.get !== undefined, message);
      assert.equal(message.includes("`adopt: true`"), "adopt" in Class.definition.arguments, message);

      const [warning = "", ...more] = await warningsOf(() =>
        declared(new Class("limited", args, { customTimeouts: { create: "1h" } }), new Class("free", args)),
      );
      assert.deepEqual(more, []);
      assert.ok(warning.startsWith(`The \`customTimeouts\` option of the ${name} "limited" has no effect`));
      assert.match(warning, /`requestTimeout` \(trivium:(?:provisioning|secrets|scheduler)RequestTimeout\)/);
      const [, argument] = /the argument `(.*?)` to limit the wait/.exec(warning) ?? [];
      assert.equal(argument, waits[name]);
    });
  }

  it("a class that extends a class of the library rejects options that cannot work", () => {
    class Team extends library.provisioning.Project {}
    const team = () => new Team("subject", { organization: "acme", name: "subject" }, { import: "prj-1" });
    assert.throws(team, /npx pulumi-trivium use-plugin/);
  });
});

it("run options contain only unusual values, and are read as they were written", () => {
  const inherited = [{ at: "https://tfe.example", privateState: { was: "a" }, managed: ["isDisabled"] }];
  const all = { ignored: ["name", "tags"], followsProvider: true, inherited };
  for (const unusual of [{ ignored: ["name"] }, { followsProvider: true }, { inherited }, all]) {
    const run = { ...noRunOptions, ...unusual };
    const __run = encodeRun(run) ?? assert.fail();
    assert.deepEqual([__run, decodeProgram({ __run }).run], [unusual, run]);
  }
  assert.equal(encodeRun(noRunOptions), undefined);
});
