import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as library from "../../../sdk/index";
import { InputError } from "../../../sdk/base/errors";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { collectClasses } from "../../../sdk/resource/registry";
import { declared, useMocks, warningsOf } from "../mocks";
import { noRunOptions, runInput, takeRunOptions } from "../../../sdk/resource/state/protocol";

type ResourceClass = (new (
  name: string,
  args: object,
  options?: pulumi.CustomResourceOptions,
) => pulumi.CustomResource) & { readonly definition: AnyResourceDefinition; readonly get?: unknown };

const classes = [...collectClasses(library).values()] as unknown as ResourceClass[];
const nameOf = ({ definition: { type } }: ResourceClass): string => type.slice(type.indexOf(":") + 1);
const args = { name: "subject", organization: "acme", workspaceIds: [], topics: ["Node"] };

describe("an option that cannot work", () => {
  useMocks();

  for (const Class of classes) {
    const name = nameOf(Class);
    const waits = new Map([
      ["NotificationConfiguration", "verification.timeout"],
      ["LibraryCheckout", "waitFor"],
      ["EventGate", "timeout"],
    ]).get(name);

    it(`is refused at once: import of ${name}`, () => {
      assert.throws(
        () => new Class("subject", args, { import: "some-id" }),
        (error: unknown) => {
          assert.ok(InputError.isInstance(error));
          assert.ok(
            error.message.startsWith(
              `The option \`import\` of the ${name} "subject" is not supported for a dynamic resource. `,
            ),
            error.message,
          );
          const command = "npx pulumi-trivium use-plugin";
          assert.equal(error.message.includes(command), Class.get !== undefined, error.message);
          assert.equal(
            error.message.includes("`adopt: true`"),
            "adopt" in Class.definition.arguments,
            error.message,
          );
          return true;
        },
      );
    });

    it(`is warned of, with what to use: customTimeouts of ${name}`, async () => {
      const warnings = await warningsOf(async () => {
        await declared(new Class("subject", args, { customTimeouts: { create: "1h" } }));
      });
      assert.equal(warnings.length, 1, warnings.join("\n"));
      const [warning = ""] = warnings;
      assert.match(
        warning,
        new RegExp(`^The option \`customTimeouts\` of the ${name} "subject" has no effect`),
      );
      assert.match(warning, /`requestTimeout` \(trivium:(?:provisioning|secrets|scheduler)RequestTimeout\)/);
      if (waits === undefined) {
        assert.doesNotMatch(warning, /the argument/);
      } else {
        assert.ok(warning.includes(`Use the argument \`${waits}\` to limit the wait`), warning);
      }
    });

    it(`is not seen where there is none: ${name}`, async () => {
      const warnings = await warningsOf(() => declared(new Class("subject", args)));
      assert.deepEqual(warnings, []);
    });
  }

  it("is refused too when it comes to a class that extends one of the library's", () => {
    class Team extends library.provisioning.Project {}
    assert.throws(
      () => new Team("subject", { organization: "acme", name: "subject" }, { import: "prj-1" }),
      /npx pulumi-trivium use-plugin/,
    );
  });
});

describe("run options", () => {
  const inherited = [{ at: "https://tfe.example", memory: { was: "a" }, managed: ["isDisabled"] }];

  it("are no input where there are none", () => {
    assert.equal(runInput(noRunOptions), undefined);
  });

  const options = [
    { ...noRunOptions, ignored: ["name"] },
    { ...noRunOptions, followsProvider: true },
    { ...noRunOptions, inherited },
    { ignored: ["name", "tags"], followsProvider: true, inherited },
  ];
  for (const said of options) {
    it(`come out as they went in: ${JSON.stringify(said)}`, () => {
      const __run = runInput(said) ?? assert.fail();
      assert.deepEqual(takeRunOptions({ name: "a", __run }), { inputs: { name: "a" }, run: said });
    });
  }

  it("say only what is unusual", () => {
    assert.deepEqual(runInput({ ...noRunOptions, ignored: ["name"] }), { ignored: ["name"] });
    assert.deepEqual(runInput({ ...noRunOptions, followsProvider: true }), { followsProvider: true });
    assert.deepEqual(runInput({ ...noRunOptions, inherited }), { inherited });
  });

  it("are the usual ones where the program said nothing", () => {
    assert.deepEqual(takeRunOptions({ name: "a" }), { inputs: { name: "a" }, run: noRunOptions });
    assert.deepEqual(takeRunOptions({ __run: "x" }).run, {
      ignored: [],
      followsProvider: false,
      inherited: [],
    });
  });
});
