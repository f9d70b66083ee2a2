import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { configurationKey, serviceNames, settingsOf } from "../../sdk/base/settings";
import { Provider, type ProviderArgs } from "../../sdk/connection/provider";
import { anotherCopy } from "../resource/program/library-copies";
import { declared, secretOf, useMocks, valueOf } from "../resource/mocks";

describe("Provider", () => {
  const mocked = useMocks();

  /** Its settings as the engine gets them: those that are secret say so. */
  async function settingsOfProvider(args?: ProviderArgs): Promise<Record<string, unknown>> {
    await declared(new Provider("europe", args));
    const { type, inputs } = mocked.registered.at(-1) ?? assert.fail("nothing was registered");
    assert.equal(type, "pulumi:providers:pulumi-nodejs");
    const shown = Object.entries(inputs).map(([key, value]) => {
      const secret = secretOf(value);
      return [key, secret === undefined ? value : { secret }];
    });
    return Object.fromEntries(shown) as Record<string, unknown>;
  }

  it("a provider stores every setting of every service under the flat keys of stack configuration", async () => {
    for (const service of serviceNames) {
      const given = settingsOf(service).filter(([name]) => name !== "address");
      const args = Object.fromEntries(given.map(([name]) => [name, name === "headers" ? { a: "b" } : name]));
      const expected = given.map(([name, { secret }]) => {
        const value = name === "headers" ? '{"a":"b"}' : name;
        return [configurationKey(service, name), secret === true ? { secret: value } : value];
      });
      assert.deepEqual(await settingsOfProvider({ [service]: args }), Object.fromEntries(expected));
    }
  });

  const late = { secrets: { token: pulumi.output(null) } };
  const texts = {
    secrets: {
      maxRetries: 0,
      insecureSkipVerify: pulumi.output(false),
      requestTimeout: pulumi.output(Promise.resolve("5s")),
      headers: { "X-Team": pulumi.output("platform-team") },
    },
    scheduler: { requestTimeout: 90 },
  };
  const written = {
    "trivium:secretsMaxRetries": "0",
    "trivium:secretsInsecureSkipVerify": "false",
    "trivium:secretsRequestTimeout": "5s",
    "trivium:secretsHeaders": { secret: '{"X-Team":"platform-team"}' },
    "trivium:schedulerRequestTimeout": "90",
  };
  const marked = { scheduler: { serverName: pulumi.secret("inside") } };
  const dialects = { dialect: pulumi.output("hashicorp"), scheduler: { dialect: "documented" } };
  const ofDialects = { "trivium:dialect": "hashicorp", "trivium:schedulerDialect": "documented" };
  for (const [what, args, expected] of [
    ["writes numbers, booleans and headers as strings, and waits for outputs", texts, written],
    ["keeps secret what the program marked", marked, { "trivium:schedulerServerName": { secret: "inside" } }],
    ["has one dialect for all services, and dialects of single services", dialects, ofDialects],
    ["has no settings without arguments", undefined, {}],
    ["omits null", { dialect: null, secrets: { token: null, address: null, maxRetries: undefined } }, {}],
    ["omits services that are null, and undefined settings", { other: undefined, secrets: null }, {}],
    ["has an empty string for an output that becomes null", late, { "trivium:secretsToken": { secret: "" } }],
  ] as const) {
    it(`a provider ${what}`, async () =>
      assert.deepEqual(await settingsOfProvider(args as ProviderArgs), expected));
  }

  const near = "is not a valid argument; did you mean";
  const inText = "http://h/Calling [toString] on an [Output<T>] is not supported.";
  const noSettings = "secrets must be an object of settings";
  for (const [args, problem] of [
    [{ provisioning: { addres: "x" } }, `provisioning.addres ${near} provisioning.address?`],
    [{ provisoning: { address: "x" } }, `provisoning ${near} provisioning?`],
    [{ secretsToken: "x" }, `secretsToken ${near} secrets.token?`],
    [{ "trivium:schedulerToken": "x" }, "trivium:schedulerToken is not a valid argument"],
    [{ provisioning: { namespace: "x" } }, "provisioning.namespace is not a valid argument"],
    [{ secrets: { token: { v: "x" } } }, "secrets.token must be text, not an object"],
    [{ secrets: { token: 7 } }, "secrets.token must be text, not a number"],
    [{ secrets: { insecureSkipVerify: 1 } }, "secrets.insecureSkipVerify must be true or false or text, not"],
    [{ scheduler: { login: ["x"] } }, "scheduler.login must be an object or text, not a list"],
    [
      { secrets: { address: inText } },
      "secrets.address contains the SDK's message about an output in a string",
    ],
    [{ scheduler: { headers: { A: inText } } }, "scheduler.headers contains the SDK's message"],
    [{ secrets: "x" }, noSettings],
    [{ secrets: pulumi.output({ token: "x" }) }, noSettings],
    [{ dialect: true }, "dialect must be text, not true or false"],
    [{ secrets: { tokn: "x" }, x: 1 }, `secrets.tokn ${near} secrets.token? x is not a valid argument.`],
    [
      { provisioning: { addres: "x", tokn: "x" } },
      `provisioning.addres ${near} provisioning.address? provisioning.tokn ${near} provisioning.token?`,
    ],
  ] as const) {
    it(`a provider rejects arguments without showing their values: ${problem}`, () => {
      const made = (): unknown => new Provider("europe", args as ProviderArgs);
      const start = `trivium.Provider "europe": ${problem}`;
      assert.throws(made, ({ message }: Error) => message.startsWith(start) && !/\?[.;]/.test(message));
    });
  }

  it("a provider rejects an output with an invalid value", async () => {
    const { settings } = new Provider("europe", { secrets: { token: pulumi.output({ v: 1 }) as never } });
    await assert.rejects(valueOf(settings), /"europe": secrets\.token must be text, not an object\.$/);
  });

  describe("beside stack configuration", () => {
    it("a provider that sets the address takes the dialect for all services from the stack", async () => {
      pulumi.runtime.setAllConfig({ "trivium:dialect": "hashicorp" });
      const args = { secrets: { address: "https://eu.example.com" } };
      assert.equal((await settingsOfProvider(args))["trivium:dialect"], "hashicorp");
      const own = await settingsOfProvider({ ...args, dialect: "documented" });
      assert.equal(own["trivium:dialect"], "documented");
    });

    const settings = {
      "trivium:secretsAddress": "https://secrets.example.com",
      "trivium:secretsTokenFile": "/file/of/the/stack",
      "trivium:secretsClientCertificate": "certificate of the stack",
      "trivium:secretsNamespace": "team/a",
      "trivium:secretsMaxRetries": "7",
      "trivium:secretsMovedFrom": "https://old.example.com",
      "trivium:schedulerAddress": "https://scheduler.example.com",
    };
    const secrets = {
      "trivium:secretsToken": "token of the stack",
      "trivium:secretsClientKey": "key of the stack",
      "trivium:secretsServerName": "name of the stack",
      "trivium:schedulerToken": "scheduler token",
    };
    const headers = { "trivium:secretsHeaders": '{"a":"b"}' };
    beforeEach(() => {
      const others = { ...headers, "trivium:unrelated": "x", "other:secretsAddress": "x" };
      pulumi.runtime.setAllConfig({ ...settings, ...secrets, ...others }, Object.keys(secrets));
    });

    it("a provider passes the stack's other settings to its process, which cannot read them", async () => {
      const hidden = Object.entries({ ...secrets, ...headers }).map(([key, secret]) => [key, { secret }]);
      assert.deepEqual(await settingsOfProvider({ secrets: { namespace: "team/b" } }), {
        ...settings,
        "trivium:secretsNamespace": "team/b",
        ...(Object.fromEntries(hidden) as object),
      });
    });

    it("a provider that sets the address declares the service's former address itself", async () => {
      const movedFrom = ["https://one.example.com/v1", pulumi.output("https://two.example.com")];
      for (const given of [{ movedFrom }, { movedFrom, address: "https://eu.example.com" }]) {
        const { "trivium:secretsMovedFrom": former } = await settingsOfProvider({ secrets: given });
        assert.equal(former, "https://one.example.com/v1, https://two.example.com");
      }
    });

    it("a provider's own token or token file takes precedence over the stack's", async () => {
      const tokensWith = async (args: object): Promise<unknown> => {
        const found = await settingsOfProvider({ secrets: args });
        return [found["trivium:secretsToken"], found["trivium:secretsTokenFile"]];
      };
      assert.deepEqual(await tokensWith({ tokenFile: "/its/own" }), [undefined, "/its/own"]);
      assert.deepEqual(await tokensWith({ token: "its own" }), [{ secret: "its own" }, undefined]);
    });
  });

  it("a provider passes its settings to functions, and a token makes all of them secret", async () => {
    const { settings } = new Provider("europe", { secrets: { address: "https://eu", token: "its own" } });
    assert.deepEqual(await valueOf(settings), {
      "trivium:secretsAddress": "https://eu",
      "trivium:secretsOwnAddress": "true",
      "trivium:secretsToken": "its own",
    });
    assert.equal(await pulumi.isSecret(settings), true);
  });

  it("a provider is distinguished from other providers, also if another copy of the library created it", () => {
    class Other extends pulumi.ProviderResource {}
    const theirs = new (anotherCopy().Provider)("theirs");
    assert.equal(theirs instanceof Provider, false);
    assert.ok([theirs, new Provider("ours")].every((each) => Provider.isInstance(each)));
    const others = [new Other("pulumi-nodejs", "other"), {}, null, undefined, "provider", Provider];
    assert.ok(!others.some((each) => Provider.isInstance(each)));
  });
});
