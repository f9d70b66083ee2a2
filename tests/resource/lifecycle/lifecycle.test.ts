import { secretsService } from "../../../sdk/secrets/service";
import assert from "node:assert/strict";
import * as library from "../../../sdk/index";
import { type AnyResourceDefinition, collectClasses, defineResource } from "../../../sdk/resource/definition";
import { Lifecycle, lifecycles } from "../../../sdk/resource/lifecycle/lifecycle";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { decodeProgram } from "../../../sdk/resource/state/encoding";
import { emptyEntry, type Entry } from "../../../sdk/resource/state/entry";
import { until } from "../../testing/call";
import { linesDuring } from "../../support/engine-lines";
import { EngineLog } from "../../support/engine-log";
import { lifecycleWith, FakeEngine, providerWith } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { Fields, snakeCase } from "../../../sdk/resource/fields/field";
import { integer, text } from "../../../sdk/resource/fields/kinds";

function definitionWith(own: Partial<AnyResourceDefinition>): AnyResourceDefinition {
  const usual = defineResource(secretsService, new Fields({ label: text() }, snakeCase));
  return { ...usual("test:Thing", {} as never), ...own };
}

const entry: Entry = { ...emptyEntry, outputs: { label: "a" }, managed: { label: true } };
const urn = "urn:pulumi:dev::shop::test:Thing::it";
const secretsAddress = { "trivium:secretsAddress": "http://127.0.0.1:9", "trivium:secretsToken": "t" };
const unreachable = { ...secretsAddress, "trivium:secretsDialect": "hashicorp" };

/** A service that ignores what it does not know, in the hashicorp dialect. */
function productWith() {
  const only = { dialect: "hashicorp", since: "Product 2.0" } as const;
  const rows = {
    label: text(),
    size: integer({ only, cleared: 0 }),
    key: text({ only, optional: true }),
    limit: integer({ only, cleared: 1 }),
    note: text({ only, cleared: "" }),
  };
  const calls: string[] = [];
  const stored: Record<string, unknown> = { label: "", limit: 1 };
  const write = (sent: object, has: (name: string) => boolean = () => true): void => {
    const known = Object.entries(sent).filter(([name]) => name in stored && name !== "limit" && has(name));
    Object.assign(stored, Object.fromEntries(known));
  };
  const definition = defineResource(secretsService, new Fields(rows, snakeCase))("test:Thing", {
    create(_step, desired) {
      calls.push("create");
      write(desired);
      return Promise.resolve({ id: "1", state: {} });
    },
    read: () => Promise.resolve({ ...stored }),
    update(_step, _id, desired, changed: ReadonlySet<string>) {
      calls.push(`update ${[...changed].join()}`);
      write(desired, (name) => changed.has(name));
      return Promise.resolve({});
    },
    delete: () => Promise.resolve(),
  });
  const provider = providerWith(definition, unreachable);
  const stack = new FakeEngine(definition, {
    urnOf: () => urn,
    operate: (work) => work(provider, { __provider: "a text", __secrets: ["key"] }),
  });
  return { up: (args: Properties) => stack.up(args), refresh: () => stack.refresh(), calls, stored };
}

const ended = () => ({ reason: "It has ended", isOver: true, mayDiffer: false });
const lives = (): undefined => undefined;

describe("a resource that expires or has a unique name", () => {
  const fields = new Fields({ label: text({ replaces: true }) }, snakeCase);
  const look = () => Promise.resolve({});
  const both = ["label", "expiresAt"];
  const deletedFirst = { ending: ended, deleteBeforeReplace: true };
  const replacing = { ending: ended, fields };
  // The definition, the label in the program, and whether that changes, what replaces, and whether it is deleted first.
  for (const [title, definition, label, ...expected] of [
    ["is left alone while it is valid", { ending: lives }, "a", false, [], false],
    ["is replaced once it has expired", { ending: ended }, "a", true, ["expiresAt"], false],
    ["is deleted first if the definition says so", deletedFirst, "a", true, ["expiresAt"], true],
    ["is replaced for the program's reasons too", replacing, "b", true, both, false],
    ["is created before the other one is deleted", { fields, look }, "b", undefined, ["label"], false],
    ["is deleted before the same one is created", { fields, look }, "a", false, [], true],
  ] as const) {
    it(`a resource that expires or has a unique name ${title}`, async () => {
      const lifecycle = new Lifecycle(definitionWith(definition));
      const found = await lifecycle.diff("id", entry, decodeProgram({ label }));
      assert.deepEqual([found.changes, found.replaces, found.deleteBeforeReplace], expected);
    });
  }

  it("the expiry of a resource is determined from state, the program and the current time", async () => {
    const asked: unknown[] = [];
    const before = Date.now();
    const ending = (...question: unknown[]): undefined => void asked.push(...question);
    await new Lifecycle(definitionWith({ ending })).diff("id", entry, decodeProgram({ label: "b" }));
    const [outputs, inputs, now] = asked;
    assert.deepEqual([outputs, inputs], [{ label: "a" }, { label: "b" }]);
    assert.ok(Number(now) >= before && Number(now) <= Date.now());
  });
});

describe("what the engine receives", () => {
  const { argv } = process;
  let engine: EngineLog;
  let address: string;

  before(async () => ({ engine, address } = await EngineLog.start()));
  afterEach(() => void (process.argv = argv));
  after(() => engine.stop());

  // A lifecycle that is made in a process of the engine would end with it, so this is one only from here on.
  const followEngine = (): void => {
    process.argv = ["node", require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), address];
  };
  const told = async (least: number): Promise<string[]> => {
    await until(() => engine.lines.length >= least);
    return engine.lines.splice(0).map(({ severity, message }) => `${severity}: ${message}`);
  };

  const odd = "warning: label is odd";
  const lacks = "warning: The secrets service is";
  const withLogin = '{"path":"jwt","role":"ci","jwtFile":"/token"}';
  for (const [what, ends, login, lines] of [
    ["the warnings of check", undefined, withLogin, [odd, odd]],
    [
      "what has expired, and once which setting is missing",
      ended,
      "",
      [odd, lacks, odd, "information: It has ended and will be replaced."],
    ],
    ["what expires with a login", lives, withLogin, [odd, "information: It will expire no later", odd]],
  ] as const) {
    it(`the engine receives ${what}`, async () => {
      const definition = definitionWith({
        fields: new Fields({ label: text({ check: () => ({ warning: "is odd" }) }) }, snakeCase),
        ending: ends,
      });
      const settings = { ...unreachable, "trivium:secretsToken": "", "trivium:secretsLogin": login };
      const { lifecycle } = lifecycleWith(definition, settings);
      followEngine();
      const program = { ...decodeProgram({ label: "a" }), urn };
      await lifecycle.check(program);
      await lifecycle.check(program, program.args);
      await lifecycle.diff("id", entry, program);
      for (const [index, text] of (await told(lines.length)).entries()) {
        assert.ok(text.startsWith(lines[index] ?? "no line"), text);
      }
    });
  }

  it("the order of a replacement is reported for a StaticRole, and nothing about another change", async () => {
    const args = { mount: "ldap", roleName: "a", username: "svc", dn: "cn=svc,dc=x", rotationPeriod: 60 };
    const managed = Object.fromEntries(Object.keys(args).map((name) => [name, true as const]));
    const documented = { ...unreachable, "trivium:secretsDialect": "documented" };
    const { lifecycle } = lifecycleWith(staticRoleDefinition, documented);
    followEngine();
    for (const change of [{ rotationPeriod: 90 }, { dn: "CN=svc, DC=x" }, { dn: "cn=other,dc=x" }]) {
      const program = { ...decodeProgram({ ...args, ...change }), urn };
      await lifecycle.diff("ldap/a", { ...entry, outputs: args, managed }, program);
    }
    const [line = "", ...more] = await told(1);
    assert.match(line, /^warning: The replacement of the static role "a" changes the password/);
    assert.deepEqual(more, []);
  });

  it("the engine receives one warning about an ignored argument, which no later plan shows and which a newer service receives", async () => {
    const { up, refresh, calls, stored } = productWith();
    const ignored = (name: string): string =>
      `warning: test:Thing 1: the service ignored \`${name}\`, which requires Product 2.0. Remove the argument, or upgrade the ` +
      "service. The argument is sent again when you change its value.";
    const valid = { label: "a", size: 5, key: "canary", limit: 9, note: "" };
    // A write in a process of the engine would follow that engine, and end with it.
    await linesDuring(async (lines) => {
      const shown = (): string[] => lines.splice(0);
      assert.equal(await up(valid), "created");
      assert.deepEqual(shown().sort(), [ignored("key"), ignored("limit"), ignored("size")]);
      for (const args of [valid, { ...valid, label: "b" }]) {
        await up(args);
        await refresh();
        assert.equal(await up(args), "same");
      }
      assert.deepEqual(calls, ["create", "update label"]);
      assert.equal(await up({ ...valid, label: "b", size: 6 }), "updated");
      assert.deepEqual(shown(), [ignored("size")]);
      stored.size = 0;
      await refresh();
      assert.equal(await up({ ...valid, label: "b", size: 6 }), "updated", "the service knows it now");
      assert.deepEqual([stored.size, shown()], [6, []]);
    });
  });
});

describe("lifecycles", () => {
  it("lifecycles are created once for each type, and the error names an unknown type", () => {
    let made = 0;
    const of = lifecycles(collectClasses(library), (lifecycle) => ({ lifecycle, number: (made += 1) }));
    assert.equal(of("provisioning:Project"), of("provisioning:Project"));
    assert.notEqual(of("secrets/mfa:TotpMethod"), of("provisioning:Project"));
    assert.equal(made, 2);
    const message =
      "The installed pulumi-trivium has no resource type secrets/mfa:Unheard: the state was written by a newer version. " +
      "Upgrade pulumi-trivium in this project.";
    assert.throws(() => of("secrets/mfa:Unheard"), { message });
  });
});
