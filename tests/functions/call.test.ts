import { provisioningService } from "../../sdk/provisioning/service";
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, callInScript } from "../../sdk/functions/call";
import type { FunctionDefinition } from "../../sdk/functions/definition";
import { InputError } from "../../sdk/base/errors";
import { Provider } from "../../sdk/connection/provider";
import { Project } from "../../sdk/provisioning";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { getProjectOutput, listProjectsOutput } from "../../sdk/provisioning/project";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useMocks, valueOf } from "../resource/mocks";
import { useEmulator } from "../support/use-emulator";

interface Arguments {
  readonly text: string;
  readonly list?: readonly string[];
}

// The SDK keeps to itself whether an output is known.
const isKnown = (output: pulumi.Output<unknown>): Promise<boolean> =>
  (output as unknown as { readonly isKnown: Promise<boolean> }).isKnown;

describe("functions", () => {
  useEnvironment(() => ({
    PROVISIONING_ADDR: "http://127.0.0.1:9",
    PROVISIONING_TOKEN: "token of functions",
  }));

  let calls: Arguments[];
  beforeEach(() => {
    calls = [];
  });

  const foreign = JSON.parse("{}") as Provider;
  const echo: FunctionDefinition<ProvisioningClient, Arguments, { readonly echo: Arguments }> = {
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

  describe("with a promise", () => {
    it("pass their arguments on and answer the result", async () => {
      assert.deepEqual(await callFunction(echo, { text: "hello" }), { echo: { text: "hello" } });
    });

    it("take null and undefined for an optional argument that is left out", async () => {
      await callFunction(echo, { text: "a", list: null });
      await callFunction(echo, { text: "b", list: undefined });
      assert.deepEqual(calls, [{ text: "a" }, { text: "b", list: undefined }]);
      const error = await failure(callFunction(echo, { text: null }));
      assert.equal(error.message, "provisioning.echo: text is required.");
    });

    it("name everything that is wrong with the arguments, without repeating values", async () => {
      const error = await failure(callFunction(echo, { text: "canary-canary", list: ["a", 5], more: 1 }));
      assert.ok(InputError.isInstance(error));
      assert.equal(
        error.message,
        'provisioning.echo: text is too long; list[1] must be a string, not a number; has no member "more".',
      );
      assert.deepEqual(calls, []);
    });

    it("apply the rules of the dialect that is configured", async () => {
      process.env.PROVISIONING_DIALECT = "hashicorp";
      await callFunction(echo, { text: "thirteen-char" });
      assert.equal(calls.length, 1);
    });

    it("say what is not configured", async () => {
      delete process.env.PROVISIONING_TOKEN;
      const error = await failure(callFunction(echo, { text: "x" }));
      assert.match(error.message, /trivium:provisioningToken.*PROVISIONING_TOKEN/);
    });

    it("refuse a provider that is none of ours", async () => {
      const error = await failure(callFunction(echo, { text: "x" }, { provider: foreign }));
      assert.match(error.message, /^provisioning\.echo: `provider` must be a trivium\.Provider\.$/);
    });

    it("say what to use when they are given an output where a value is needed", async () => {
      const error = await failure(
        callFunction(echo, { text: pulumi.output("x"), list: ["a", pulumi.output("b")] }),
      );
      assert.match(
        error.message,
        /^provisioning\.echo: text, list must be known values; use provisioning\.echoOutput/,
      );
      assert.deepEqual(calls, []);
    });
  });

  describe("for scripts", () => {
    const options = { signal: new AbortController().signal };

    it("do their work outside of programs", async () => {
      await callInScript(echo, "provisioning.Echo", { text: "x" }, options);
      assert.equal(calls.length, 1);
    });

    describe("in a program", () => {
      useMocks();

      it("are refused, naming the resource to use instead", async () => {
        const error = await failure(callInScript(echo, "provisioning.Echo", { text: "x" }));
        assert.ok(InputError.isInstance(error));
        assert.match(
          error.message,
          /^provisioning\.echo makes changes, .* use the resource provisioning\.Echo instead\.$/,
        );
        assert.deepEqual(calls, []);
      });
    });
  });

  describe("with an output", () => {
    useMocks();

    it("wait for arguments that are outputs, at any depth", async () => {
      const result = callFunctionOutput(echo, { text: pulumi.output("x"), list: ["a", pulumi.output("b")] });
      assert.deepEqual(await valueOf(result), { echo: { text: "x", list: ["a", "b"] } });
      assert.equal(await pulumi.isSecret(result), false);
    });

    it("are secret when an argument is, or the definition says so", async () => {
      assert.equal(await pulumi.isSecret(callFunctionOutput(echo, { text: pulumi.secret("x") })), true);
      const secretive = { ...echo, secret: true };
      const result = callFunctionOutput(secretive, { text: "x" });
      assert.deepEqual(await valueOf(result), { echo: { text: "x" } });
      assert.equal(await pulumi.isSecret(result), true);
    });

    it("are not secret because the provider holds a token", async () => {
      const provider = new Provider("europe", {
        provisioning: { token: pulumi.secret("hush-hush"), headers: { "X-Team": "team-of-the-function" } },
      });
      const result = callFunctionOutput(echo, { text: "x" }, { provider });
      assert.deepEqual(await valueOf(result), { echo: { text: "x" } });
      assert.equal(await pulumi.isSecret(result), false);
      assert.equal(await pulumi.isSecret(result.echo), false);
      const component = new pulumi.ComponentResource("test:index:Team", "team", {}, { provider });
      const inside = callFunctionOutput(echo, { text: "x" }, { parent: component });
      assert.equal(await pulumi.isSecret(inside), false);
      assert.equal(calls.length, 2);
    });

    it("stay secret beside a provider when an argument is, or the definition says so", async () => {
      const provider = new Provider("europe", { provisioning: { token: "hush-hush" } });
      const given = callFunctionOutput(echo, { text: "x", list: [pulumi.secret("y")] }, { provider });
      assert.equal(await pulumi.isSecret(given), true);
      const response = callFunctionOutput({ ...echo, secret: true }, { text: "x" }, { provider });
      assert.equal(await pulumi.isSecret(response), true);
    });

    it("use the provider that they are given", async () => {
      const provider = new Provider("europe", { provisioning: { dialect: "hashicorp" } });
      await valueOf(callFunctionOutput(echo, { text: "thirteen-char" }, { provider }));
      assert.equal(calls.length, 1);
    });

    it("refuse a provider that is none of ours", () => {
      assert.throws(
        () => callFunctionOutput(echo, { text: "x" }, { provider: foreign }),
        (error) => InputError.isInstance(error),
      );
    });
  });

  describe("with an output in a preview", () => {
    useMocks({ preview: true });

    it("are unknown when a setting of the provider is, secret or not", async () => {
      const token = new Project("source", { organization: "acme", name: "source" }).id;
      for (const setting of [token, pulumi.secret(token)]) {
        const provider = new Provider("europe", { provisioning: { token: setting } });
        const result = callFunctionOutput(echo, { text: "x" }, { provider });
        assert.equal(await isKnown(result), false);
      }
      assert.deepEqual(calls, []);
    });

    const project = (): Project => new Project("payments", { organization: "acme", name: "payments" });

    it("are called while everything is known", async () => {
      const result = callFunctionOutput(echo, { text: pulumi.output("x") });
      assert.equal(await isKnown(result), true);
      assert.equal(calls.length, 1);
    });

    const unknown: readonly [string, () => pulumi.Output<unknown>][] = [
      ["an argument is not known", () => callFunctionOutput(echo, { text: project().id })],
      [
        "a part of one is not known",
        () => callFunctionOutput(echo, { text: "x", list: ["a", project().id] }),
      ],
      [
        "an argument is known but comes from a resource that is still to be made",
        () => callFunctionOutput(echo, { text: project().name }),
      ],
      [
        "it depends on a resource that is still to be made",
        () => callFunctionOutput(echo, { text: "x" }, { dependsOn: project() }),
      ],
      [
        "it depends on a component with such a resource in it",
        () => {
          const team = new pulumi.ComponentResource("acme:platform:Team", "team");
          new Project("payments", { organization: "acme", name: "payments" }, { parent: team });
          return callFunctionOutput(echo, { text: "x" }, { dependsOn: [team] });
        },
      ],
      [
        "its provider's settings are not known",
        () => {
          const provider = new Provider("europe", { provisioning: { address: project().id, token: "t" } });
          return callFunctionOutput(echo, { text: "x" }, { provider });
        },
      ],
    ];
    for (const [name, call] of unknown) {
      it(`are unknown, and not called, when ${name}`, async () => {
        const result = call();
        assert.equal(await isKnown(result), false);
        assert.deepEqual(calls, []);
      });
    }
  });

  describe("of projects, with an output", () => {
    const emulator = useEmulator({ resets: false });
    before(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
    });
    useMocks();
    useEnvironment(() => emulator.environment);

    it("read what a promise reads", async () => {
      const { id } = emulator.provisioning.addProject({ organization: "acme", name: "payments" });
      const organization = pulumi.output("acme");
      const project = getProjectOutput({ organization, name: pulumi.output("payments") });
      assert.equal(await valueOf(project.id), id);
      const list = listProjectsOutput({ organization, names: [project.name] });
      assert.deepEqual(await valueOf(list.statusCounts), { total: 2, matching: 1 });
      assert.equal(await valueOf(list.projects[0]?.id ?? pulumi.output("")), id);
    });
  });
});
