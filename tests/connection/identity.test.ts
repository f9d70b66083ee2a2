import assert from "node:assert/strict";
import { ConfigurationError } from "../../sdk/base/errors";
import type { ServiceName } from "../../sdk/base/settings";
import { assertSameService, identityOf, isSameService } from "../../sdk/connection/connect";
import { resolveSettings, type ResolvedSettings } from "../../sdk/connection/resolve";
import { sourcesWith } from "./environment";

type Values = Readonly<Record<string, string>>;

function settings(given: Values, service: ServiceName = "secrets"): ResolvedSettings {
  const values = Object.entries({ Token: "canary-token", ...given });
  const keys = values.map(([name, value]) => [`trivium:${service}${name}`, value]);
  return resolveSettings(sourcesWith({}, Object.fromEntries(keys) as Values), service);
}

/** The message with which an object is refused. */
function refusal(given: Values, madeAt: string): string {
  try {
    assertSameService(settings(given), madeAt);
  } catch (error) {
    return ConfigurationError.isInstance(error) ? error.message : String(error);
  }
  return "nothing was refused";
}

describe("identityOf", () => {
  const Address = "https://example.com";
  const team = { Address, Namespace: "team/a" };
  const slashes = { Address, Namespace: "/team/a/" };
  const tools = "127.0.0.1:8080/tools";
  const product = { Address, Dialect: "hashicorp" };
  const inTeam = "https://example.com/v1 namespace=team/a";
  const whatMayChange = {
    Token: "another-token",
    Headers: '{"X-Team": "platform-team"}',
    ServerName: "inside.example.com",
    RequestTimeout: "5s",
    MaxRetries: "1",
    MovedFrom: "https://old.example.com",
  };
  // These texts live in users' state: in another form, every object there would be of another service.
  const table: readonly [ServiceName, given: Values, identity: string][] = [
    ["provisioning", { Address }, "https://example.com/api/v2"],
    ["provisioning", { Address: "https://EXAMPLE.com:443/api/v2/" }, "https://example.com/api/v2"],
    ["provisioning", { Address: `http://${tools}/` }, `http://${tools}/api/v2`],
    ["provisioning", product, "https://example.com/api/v2 dialect=hashicorp"],
    ["provisioning", team, "https://example.com/api/v2"],
    ["secrets", { Address, ...whatMayChange }, "https://example.com/v1"],
    ["secrets", team, inTeam],
    ["secrets", { ...product, ...team }, `${inTeam} dialect=hashicorp`],
    ["secrets", slashes, inTeam],
    ["secrets", { Address, Namespace: "/" }, "https://example.com/v1"],
    ["scheduler", { Address: "http://[::1]:4646" }, "http://[::1]:4646/v1"],
  ];
  for (const [service, given, identity] of table) {
    it(`the identity of a service is ${identity} with ${JSON.stringify(given)}`, () => {
      const here = settings(given, service);
      assert.equal(identityOf(here), identity);
      assert.ok(isSameService(here, identity));
    });
  }
});

describe("assertSameService", () => {
  const here = { Address: "https://new.example.com/tools" };
  const old = "https://old.example.com";
  const former = `${old}/tools/v1 namespace=team/a`;

  it("assertSameService rejects another service, and names both services and what to do", () => {
    const message = refusal(here, former);
    const start = `This object was created at ${former}, but the secrets service is now configured as https://new.example.com/tools/v1. No request was made.`;
    assert.ok(message.startsWith(start), message);
    assert.ok(message.includes(`pulumi config set --plaintext trivium:secretsMovedFrom "${former}"`));
  });

  for (const [before, now, suffix] of [
    ["documented", "hashicorp", ""],
    ["hashicorp", "documented", " dialect=hashicorp"],
  ] as const) {
    it(`the error about another service shows if only the dialect differs: ${before} before, ${now} now`, () => {
      const place = `${old}/v1 namespace=team/a`;
      const given = { Address: old, Namespace: "team/a", Dialect: now };
      const message = refusal(given, place + suffix);
      const start =
        `This object was created at ${place} with the dialect "${before}", but the dialect of the secrets service is now ` +
        `"${now}". No request was made. Set the dialect back: run \`pulumi config set --plaintext ` +
        `trivium:secretsDialect ${before}\` (or set SECRETS_DIALECT=${before}).`;
      assert.ok(message.startsWith(start), message);
      assert.ok(message.includes(`trivium:secretsMovedFrom "${place}${suffix}"`));
      assert.doesNotMatch(message, /former address/);
    });
  }

  it("the error about another service advises declaring the former address in the provider if the provider sets the address", () => {
    const message = refusal({ ...here, OwnAddress: "true" }, former);
    assert.ok(message.includes(`give the trivium.Provider \`secrets: { movedFrom: ["${former}"], ... }\``));
    assert.doesNotMatch(message, /pulumi config set/);
  });

  it("assertSameService accepts an object of this service, even with a slash after the namespace, or of an unknown service", () => {
    assertSameService(settings(here), "https://new.example.com/tools/v1");
    assertSameService(settings(here), undefined);
    for (const Namespace of ["team/a", "team/a/"]) {
      const given = { Address: "https://new.example.com", Namespace };
      const place = "https://new.example.com/v1 namespace=team/a/";
      assertSameService(settings(given), place);
      assertSameService(settings({ ...given, Dialect: "hashicorp" }), `${place} dialect=hashicorp`);
    }
  });

  const sorts = {
    passes: `${former}|https://first.example.com, ${former} ,https://last.example.com|${old}/tools/v1|${old}/tools|${old}/tools/|${old}`,
    refuses: `${old}/tools/v1 namespace=team/b|https://old.example.co|${old}/too|https://|/|http://old.example.com`,
  };
  for (const [sort, all] of Object.entries(sorts)) {
    for (const MovedFrom of all.split("|")) {
      it(`assertSameService ${sort} an object of ${former} if the service moved from ${MovedFrom}`, () =>
        assert.equal(refusal({ ...here, MovedFrom }, former) === "nothing was refused", sort === "passes"));
    }
  }
});

describe("the namespace that a product has for none", () => {
  const Address = "https://example.com";
  const product = { Address, Dialect: "hashicorp" };

  for (const [service, root] of [
    ["secrets", "root"],
    ["scheduler", "default"],
  ] as const) {
    it(`the namespace ${root} is the root namespace of the ${service} service's product, and an ordinary one for the documented service`, () => {
      assert.match(identityOf(settings({ Address, Namespace: root }, service)), /namespace=/);
      const none = settings(product, service);
      const named = settings({ ...product, Namespace: `/${root}/` }, service);
      assert.equal(identityOf(none), identityOf(named));
      assert.ok(isSameService(none, `${Address}/v1 namespace=${root} dialect=hashicorp`));
      assert.ok(!isSameService(none, `${Address}/v1 namespace=${root}-1 dialect=hashicorp`));
    });
  }

  for (const [given, differing] of [
    [{ ...product, Namespace: "team" }, "namespace"],
    [{ ...product, Address: "https://other.example.com" }, "address"],
    [{ ...product, Address: "https://other.example.com", Namespace: "team" }, "address and namespace"],
  ] as const) {
    it(`the error names the namespace that differs: ${differing}`, () =>
      assert.match(refusal(given, `${Address}/v1 dialect=hashicorp`), new RegExp(`former ${differing}\\.`)));
  }
});
