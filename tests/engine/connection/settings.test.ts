import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sourcesOf } from "../../../sdk/connection/program";
import { resolveSettings, type ResolvedSettings } from "../../../sdk/connection/resolve";
import type { ServiceName } from "../../../sdk/base/settings";
import type { Sources } from "../../../sdk/connection/sources";
import { Provider, type SecretsConnectionArgs } from "../../../sdk/connection/provider";
import { TestStack } from "../support/stack";

describe("every setting of a connection", () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  const file = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `token in ${name}`);
    return path;
  };
  const tokenOf = async ({ token }: ResolvedSettings): Promise<unknown> => (await token?.())?.value;
  const rows: readonly {
    readonly argument: keyof SecretsConnectionArgs;
    readonly variable?: string;
    /** As given to a provider, to stack configuration and to the environment. */
    readonly given: readonly [string, string, string];
    readonly expected: readonly [unknown, unknown, unknown];
    readonly of: (settings: ResolvedSettings) => unknown;
    /** A setting of the same level that would win. */
    readonly without?: string;
  }[] = [
    {
      argument: "address",
      variable: "ADDR",
      given: ["https://a.example", "https://b.example/prefix/", "https://c.example/prefix/v1"],
      expected: ["https://a.example", "https://b.example/prefix", "https://c.example/prefix"],
      of: ({ address }) => address,
    },
    {
      argument: "token",
      variable: "TOKEN",
      given: ["a", "b", "c"],
      expected: ["a", "b", "c"],
      of: tokenOf,
    },
    {
      argument: "tokenFile",
      variable: "TOKEN_FILE",
      given: [file("a"), file("b"), file("c")],
      expected: ["token in a", "token in b", "token in c"],
      of: tokenOf,
      without: "trivium:secretsToken",
    },
    {
      argument: "caCertificate",
      variable: "CACERT",
      given: ["-----BEGIN a", file("b"), "-----BEGIN c"],
      expected: ["-----BEGIN a", "token in b", "-----BEGIN c"],
      of: ({ caCertificate }) => caCertificate,
    },
    {
      argument: "clientCertificate",
      variable: "CLIENT_CERT",
      given: ["-----BEGIN a", file("b"), "-----BEGIN c"],
      expected: ["-----BEGIN a", "token in b", "-----BEGIN c"],
      of: ({ clientCertificate }) => clientCertificate,
    },
    {
      argument: "clientKey",
      variable: "CLIENT_KEY",
      given: ["-----BEGIN a", file("b"), "-----BEGIN c"],
      expected: ["-----BEGIN a", "token in b", "-----BEGIN c"],
      of: ({ clientKey }) => clientKey,
    },
    {
      argument: "serverName",
      variable: "TLS_SERVER_NAME",
      given: ["a", "b", "c"],
      expected: ["a", "b", "c"],
      of: ({ serverName }) => serverName,
    },
    {
      argument: "insecureSkipVerify",
      variable: "SKIP_VERIFY",
      given: ["false", "true", "1"],
      expected: [false, true, true],
      of: ({ insecureSkipVerify }) => insecureSkipVerify,
    },
    {
      argument: "requestTimeout",
      variable: "REQUEST_TIMEOUT",
      given: ["1s", "2m", "1500ms"],
      expected: [1000, 120_000, 1500],
      of: ({ requestTimeoutMilliseconds }) => requestTimeoutMilliseconds,
    },
    {
      argument: "maxRetries",
      variable: "MAX_RETRIES",
      given: ["0", "2", "3"],
      expected: [0, 2, 3],
      of: ({ maxRetries }) => maxRetries,
    },
    {
      argument: "maxConcurrency",
      variable: "MAX_CONCURRENCY",
      given: ["1", "2", "3"],
      expected: [1, 2, 3],
      of: ({ maxConcurrency }) => maxConcurrency,
    },
    {
      argument: "headers",
      given: ['{"x-from":"a"}', '{"x-from":"b"}', "unused"],
      expected: [{ "x-from": "a" }, { "x-from": "b" }, undefined],
      of: ({ headers }) => headers,
    },
    {
      argument: "namespace",
      variable: "NAMESPACE",
      given: ["a", "b/c", "d"],
      expected: ["a", "b/c", "d"],
      of: ({ namespace }) => namespace,
    },
    {
      argument: "dialect",
      variable: "DIALECT",
      given: ["documented", "hashicorp", "hashicorp"],
      expected: ["documented", "hashicorp", "hashicorp"],
      of: ({ dialect }) => dialect,
    },
  ];

  const service: ServiceName = "secrets";
  /** What makes the other settings complete, at the lowest rank. */
  const base = { SECRETS_ADDR: "https://base.example", SECRETS_TOKEN: "base" };
  const keyOf = (argument: string): string =>
    `trivium:secrets${argument.charAt(0).toUpperCase()}${argument.slice(1)}`;
  const sources = new Map<string, Sources>();

  before(async function () {
    this.timeout(900_000);
    const configured = rows.map(({ argument, given }) => [keyOf(argument), given[1]] as const);
    const stack = await TestStack.create("engine-settings", Object.fromEntries(configured));
    const { tokenFile, ...others } = Object.fromEntries(
      rows.map(({ argument, given }) => [argument, given[0]]),
    );
    const providers = {
      explicit: { ...others, headers: { "x-from": "a" } },
      tokenFile: { tokenFile },
      inheriting: {},
    };
    // Nothing but real providers in a real program knows how their settings and the stack's come together.
    await stack.preview(() => {
      for (const [name, secrets] of Object.entries(providers)) {
        const { settings } = new Provider(name, { secrets });
        settings.apply((values) => sources.set(name, sourcesOf(values)));
      }
      return Promise.resolve(undefined);
    });
    stack.remove();
  });

  after(() => rmSync(folder, { recursive: true }));

  for (const { argument, variable, given, expected, of, without } of rows) {
    it(`takes ${argument} from a provider, then from stack configuration, then from the environment`, async () => {
      const own = variable === undefined ? {} : { [`SECRETS_${variable}`]: given[2] };
      const others = argument === "tokenFile" ? { SECRETS_ADDR: base.SECRETS_ADDR } : base;
      const environment = { ...others, ...own };
      const provider = argument === "tokenFile" ? argument : "explicit";
      const places = [sources.get(provider), sources.get("inheriting"), undefined];
      const found = places.map((place) => {
        const get = (key: string): string | undefined =>
          key === without ? undefined : place?.configuration?.get(key);
        return of(resolveSettings({ configuration: { get }, environment }, service));
      });
      assert.deepEqual(await Promise.all(found), expected);
    });
  }
});
