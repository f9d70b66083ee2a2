import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError, InputError, NotFoundError } from "../../sdk/base/errors";
import { Provider } from "../../sdk/connection/provider";
import { outputForm, promiseForm, scriptForm } from "../../sdk/functions/call";
import type { FunctionDefinition } from "../../sdk/functions/definition";
import { getProject, Project } from "../../sdk/provisioning";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { provisioningService } from "../../sdk/provisioning/service";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { isKnown, useMocks, valueOf } from "../resource/mocks";

interface Arguments {
  readonly text: string;
  readonly list?: readonly string[];
}

interface Echo {
  readonly echo: Arguments;
}

describe("functions", () => {
  const environment = { PROVISIONING_ADDR: "http://127.0.0.1:9", PROVISIONING_TOKEN: "token of functions" };
  useEnvironment(() => environment);

  let calls: Arguments[];
  beforeEach(() => {
    calls = [];
  });

  const foreign = JSON.parse("{}") as Provider;
  const echo: FunctionDefinition<ProvisioningClient, Arguments, Echo> = {
    name: "provisioning.echo",
    service: provisioningService,
    schema: (z, dialect) =>
      z.strictObject({
        text: z.string().max(dialect === "documented" ? 10 : 20, "is too long"),
        list: z.array(z.string()).optional(),
      }),
    call(_client, args) {
      calls.push(args);
      return Promise.resolve({ echo: args });
    },
  };
  const promiseOf = promiseForm<unknown, Echo>(echo);
  const outputOf = outputForm<pulumi.Inputs, Echo>(echo);
  const scriptOf = scriptForm<unknown, Echo>(echo, "provisioning.Echo");

  it("functions pass on their arguments and return the result; null means the same as an omitted argument", async () => {
    assert.deepEqual([promiseOf.name, outputOf.name, scriptOf.name], ["echo", "echoOutput", "echo"]);
    assert.deepEqual(await promiseOf({ text: "hello", list: null }), { echo: { text: "hello" } });
    // The rules are those of the dialect that is configured.
    process.env.PROVISIONING_DIALECT = "hashicorp";
    await promiseOf({ text: "thirteen-char" });
    assert.deepEqual(calls, [{ text: "hello" }, { text: "thirteen-char" }]);
  });

  const inText = "http://h/Calling [toString] on an [Output<T>] is not supported.";
  const withOutput =
    /^provisioning\.echo: text contains the SDK's message about an output in a string instead of the output's value: /;
  const ofProvider = /^provisioning\.echo: `provider` must be a trivium\.Provider\.$/;
  const allWrong =
    /^provisioning\.echo: text is too long; list\[1\] must be a string, not a number; has no member "more"\.$/;
  const known = /^provisioning\.echo: text, list must be known values; use provisioning\.echoOutput/;
  it("functions immediately report what is wrong with an argument and with related ones", async () => {
    const wrong = { id: 5, name: "payments", organizatoin: "acme" } as never;
    const { message } = await failure(getProject(wrong), InputError);
    const member = 'has no member "organizatoin" (did you mean "organization"?)';
    const partners = "takes either id, or organization and name";
    assert.equal(
      message,
      `provisioning.getProject: id must be a string, not a number; ${member}; ${partners}.`,
    );
  });

  const refused: readonly [string, unknown, RegExp, object?][] = [
    ["a required argument that is null", { text: null }, /^provisioning\.echo: text is required\.$/],
    [
      "all invalid arguments, without their values",
      { text: "canary-canary", list: ["a", 5], more: 1 },
      allWrong,
    ],
    [
      "outputs, and name the form that accepts them",
      { text: pulumi.output("x"), list: [pulumi.output("b")] },
      known,
    ],
    ["an output in a string", { text: inText }, withOutput],
    ["another kind of provider", { text: "x" }, ofProvider, { provider: foreign }],
  ];
  for (const [what, args, message, options] of refused) {
    it(`functions reject ${what}`, async () => {
      const error = await failure(promiseOf(args, options), InputError);
      assert.match(error.message, message);
      assert.deepEqual(calls, []);
    });
  }

  describe("in a program", () => {
    useMocks();

    it("the error of a function in a program for a missing object names the function and how to create the object again", async () => {
      const call = () => Promise.reject(new NotFoundError("The static role payments does not exist."));
      for (const form of [promiseForm<unknown, Echo>, outputForm<pulumi.Inputs, Echo>]) {
        const result = form({ ...echo, call })({ text: "x" });
        const { message, stack } = await failure(valueOf(pulumi.output(result)), NotFoundError);
        const start = "provisioning.echo: The static role payments does not exist. ";
        assert.ok(message.startsWith(start) && message.includes("`pulumi up --refresh`"), message);
        assert.ok(stack?.includes(message));
      }
    });

    const secretOf = outputForm<pulumi.Inputs, Echo>({ ...echo, secret: true });
    const withToken = { provisioning: { token: pulumi.secret("hush"), headers: { "X-Team": "t" } } };
    const within = (provider: Provider) => ({
      parent: new pulumi.ComponentResource("test:index:Team", "team", {}, { provider }),
    });
    const withSecret = () => ({ text: "x", list: [pulumi.secret("y")] });
    const secrecy: readonly [string, boolean, (provider: Provider) => ReturnType<typeof outputOf>][] = [
      ["from plain arguments", false, () => outputOf({ text: pulumi.output("x") })],
      ["from a secret argument", true, () => outputOf({ text: pulumi.secret("x") })],
      ["with secrets", true, () => secretOf({ text: "x" })],
      ["from a provider with a token", false, (provider) => outputOf({ text: "x" }, { provider })],
      [
        "from a component with such a provider",
        false,
        (provider) => outputOf({ text: "x" }, within(provider)),
      ],
      ["from such a provider and a secret", true, (provider) => outputOf(withSecret(), { provider })],
      ["from such a provider, with secrets", true, (provider) => secretOf({ text: "x" }, { provider })],
    ];
    for (const [what, isSecret, call] of secrecy) {
      it(`functions in a program have a result ${what} that is ${isSecret ? "" : "not "}secret`, async () => {
        const result = call(new Provider("europe", withToken));
        assert.equal(await pulumi.isSecret(result), isSecret);
        assert.equal(await pulumi.isSecret(result.echo), isSecret);
        assert.equal((await valueOf(result)).echo.text, "x");
        assert.equal(calls.length, 1);
      });
    }

    it("functions with an output use the provider that is passed to them, and reject another kind", async () => {
      const provider = new Provider("europe", { provisioning: { dialect: "hashicorp" } });
      await valueOf(outputOf({ text: "thirteen-char" }, { provider }));
      assert.equal(calls.length, 1);
      assert.throws(() => outputOf({ text: "x" }, { provider: foreign }), InputError);
    });
  });

  describe("in a preview", () => {
    useMocks({ preview: true });

    const project = (parent?: pulumi.Resource): Project =>
      new Project("payments", { organization: "acme", name: "payments" }, { ...(parent && { parent }) });
    const withSetting = (settings: object): pulumi.Output<unknown> =>
      outputOf({ text: "x" }, { provider: new Provider("europe", { provisioning: settings }) });

    const after = (dependsOn: NonNullable<pulumi.InvokeOutputOptions["dependsOn"]>) =>
      outputOf({ text: "x" }, { dependsOn });

    it("functions in a preview are called while everything is known", async () => {
      const component = new pulumi.ComponentResource("acme:platform:Team", "empty");
      const result = outputOf({ text: pulumi.output("x"), list: ["a"] }, { dependsOn: [component] });
      assert.deepEqual([await isKnown(result), calls.length], [true, 1]);
    });

    it("functions in a preview that return promises are rejected while settings come from resources that do not exist yet", async () => {
      const known = new Provider("asia", { provisioning: { dialect: "hashicorp" } });
      await promiseOf({ text: "thirteen-char" }, { provider: known });
      const provider = new Provider("europe", { provisioning: { address: project().id, token: "canary" } });
      const { message } = await failure(promiseOf({ text: "x" }, { provider }), ConfigurationError);
      assert.match(message, /^provisioning\.echo cannot be called yet: .* Use provisioning\.echoOutput/);
    });

    const componentOfComponent = () => {
      const outer = new pulumi.ComponentResource("acme:platform:Team", "outer");
      project(new pulumi.ComponentResource("acme:platform:Team", "inner", {}, { parent: outer }));
      return outer;
    };
    const unknown: readonly [string, () => pulumi.Output<unknown>][] = [
      ["an argument is unknown", () => outputOf({ text: project().id })],
      ["a part of an argument is unknown", () => outputOf({ text: "x", list: ["a", project().id] })],
      ["an argument comes from a resource that does not exist yet", () => outputOf({ text: project().name })],
      [
        "a part of an argument comes from such a resource",
        () => outputOf({ text: "x", list: [pulumi.concat(project().name)] }),
      ],
      ["the call depends on such a resource", () => after(project())],
      ["the call depends on several", () => after([project()])],
      ["the call depends on an output that contains such a resource", () => after(pulumi.output(project()))],
      ["the call depends on a promise of several", () => after(Promise.resolve([project()]))],
      ["the call depends on an output of such a resource", () => after(project().name as never)],
      [
        "the call depends on a component in which a component contains such a resource",
        () => after(componentOfComponent()),
      ],
      ["the address of its provider is unknown", () => withSetting({ address: project().id, token: "t" })],
      ["the token of its provider is unknown", () => withSetting({ token: pulumi.secret(project().id) })],
    ];
    for (const [name, call] of unknown) {
      it(`functions in a preview are not called, and their result is unknown, when ${name}`, async () => {
        assert.equal(await isKnown(call()), false);
        assert.deepEqual(calls, []);
      });
    }
  });
});
