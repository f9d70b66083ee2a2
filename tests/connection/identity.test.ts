import assert from "node:assert/strict";
import {
  assertSameService,
  identityOf,
  storedIdentityOf,
  isSameService,
} from "../../sdk/connection/identity";
import { resolveSettings, type ResolvedSettings } from "../../sdk/connection/resolve";
import type { ServiceName } from "../../sdk/base/settings";
import { ConfigurationError } from "../../sdk/base/errors";

function settings(service: ServiceName, given: Readonly<Record<string, string>>): ResolvedSettings {
  const values = new Map(Object.entries({ Token: "canary-token", ...given }));
  const configuration = { get: (key: string) => values.get(key.replace(`trivium:${service}`, "")) };
  return resolveSettings({ configuration, environment: {} }, service);
}

describe("identityOf", () => {
  // These texts live in users' state: another form would make every object there foreign.
  const table: readonly [ServiceName, Readonly<Record<string, string>>, whole: string, stored: string][] = [
    ["provisioning", { Address: "https://example.com" }, "https://example.com/api/v2", "example.com"],
    [
      "provisioning",
      { Address: "https://EXAMPLE.com:443/api/v2/" },
      "https://example.com/api/v2",
      "example.com",
    ],
    [
      "provisioning",
      { Address: "http://127.0.0.1:8080/tools/" },
      "http://127.0.0.1:8080/tools/api/v2",
      "//127.0.0.1:8080/tools",
    ],
    [
      "provisioning",
      { Address: "https://example.com", Dialect: "hashicorp" },
      "https://example.com/api/v2 dialect=hashicorp",
      "example.com h",
    ],
    [
      "provisioning",
      { Address: "https://example.com", Namespace: "ignored" },
      "https://example.com/api/v2",
      "example.com",
    ],
    ["secrets", { Address: "https://example.com" }, "https://example.com/v1", "example.com"],
    [
      "secrets",
      { Address: "https://example.com", Namespace: "team/a" },
      "https://example.com/v1 namespace=team/a",
      "example.com namespace=team/a",
    ],
    [
      "secrets",
      { Address: "https://example.com", Namespace: "team/a", Dialect: "hashicorp" },
      "https://example.com/v1 namespace=team/a dialect=hashicorp",
      "example.com namespace=team/a h",
    ],
    [
      "secrets",
      { Address: "https://example.com", Namespace: "/team/a/" },
      "https://example.com/v1 namespace=team/a",
      "example.com namespace=team/a",
    ],
    ["secrets", { Address: "https://example.com", Namespace: "/" }, "https://example.com/v1", "example.com"],
    [
      "scheduler",
      { Address: "http://[::1]:4646", Dialect: "documented" },
      "http://[::1]:4646/v1",
      "//[::1]:4646",
    ],
  ];
  for (const [service, given, whole, stored] of table) {
    it(`of ${service} with ${JSON.stringify(given)} is ${whole}, and ${stored} in state`, () => {
      const here = settings(service, given);
      assert.equal(identityOf(here), whole);
      assert.equal(storedIdentityOf(here), stored);
      // Versions up to 0.1.0 stored the whole one; the star says that all arguments are managed.
      for (const madeAt of [whole, stored, `*${stored}`]) {
        assert.ok(isSameService(here, madeAt), madeAt);
      }
    });
  }

  it("depends on nothing that may change without another service being meant", () => {
    const given = {
      Address: "https://example.com",
      Token: "another-token",
      Headers: '{"X-Team": "platform-team"}',
      ServerName: "inside.example.com",
      RequestTimeout: "5s",
      MaxRetries: "1",
      MovedFrom: "https://old.example.com",
    };
    assert.equal(identityOf(settings("secrets", given)), "https://example.com/v1");
  });
});

describe("assertSameService", () => {
  const here = { Address: "https://new.example.com/tools" };
  const former = "https://old.example.com/tools/v1 namespace=team/a";
  const assertFrom = (movedFrom: string, madeAt: unknown): void =>
    assertSameService(settings("secrets", { ...here, MovedFrom: movedFrom }), madeAt);

  it("passes an object that was made here", () => {
    assertFrom("", "https://new.example.com/tools/v1");
  });

  it("names a service that state has in short", () => {
    for (const [stored, whole] of [
      ["*old.example.com/tools namespace=team/a h", `${former} dialect=hashicorp`],
      ["//old.example.com:8200", "http://old.example.com:8200/v1"],
    ] as const) {
      assert.throws(
        () => assertFrom("", stored),
        (error: Error) =>
          error.message.includes(`created at ${whole}, but`) &&
          error.message.includes(`trivium:secretsMovedFrom "${whole}"`),
      );
      assertFrom(whole, stored);
    }
  });

  it("passes an object of which nobody knows where it was made", () => {
    for (const madeAt of [undefined, null, 5]) {
      assertFrom("", madeAt);
    }
  });

  it("refuses another, naming both services and what to do", () => {
    assert.throws(
      () => assertFrom("", former),
      (error: unknown) => {
        assert.ok(ConfigurationError.isInstance(error));
        assert.match(
          error.message,
          /^This object was created at https:\/\/old\.example\.com\/tools\/v1 namespace=team\/a, but the secrets service is now configured as https:\/\/new\.example\.com\/tools\/v1\. No request was made\./,
        );
        assert.ok(
          error.message.includes(`pulumi config set --plaintext trivium:secretsMovedFrom "${former}"`),
        );
        return true;
      },
    );
  });

  for (const [former, now, suffix] of [
    ["documented", "hashicorp", ""],
    ["hashicorp", "documented", " dialect=hashicorp"],
  ] as const) {
    it(`says that only the dialect differs: ${former} before, ${now} now`, () => {
      const madeAt = `https://old.example.com/v1 namespace=team/a${suffix}`;
      const given = { Address: "https://old.example.com", Namespace: "team/a", Dialect: now };
      assert.throws(
        () => assertSameService(settings("secrets", given), madeAt),
        (error: unknown) => {
          assert.ok(ConfigurationError.isInstance(error));
          assert.ok(
            error.message.startsWith(
              `This object was created at https://old.example.com/v1 namespace=team/a with the dialect "${former}", but the dialect of the secrets ` +
                `service is now "${now}". No request was made. Set the dialect back: run \`pulumi config set ` +
                `--plaintext trivium:secretsDialect ${former}\` (or set SECRETS_DIALECT=${former}).`,
            ),
            error.message,
          );
          assert.ok(error.message.includes(`trivium:secretsMovedFrom "${madeAt}"`));
          assert.doesNotMatch(error.message, /former address/);
          return true;
        },
      );
    });
  }
  it("tells a provider with an address of its own to say itself that the service has moved", () => {
    assert.throws(
      () => assertSameService(settings("secrets", { ...here, OwnAddress: "true" }), former),
      (error: Error) => {
        assert.ok(
          error.message.includes(`give the trivium.Provider \`secrets: { movedFrom: ["${former}"], ... }\``),
        );
        assert.doesNotMatch(error.message, /pulumi config set/);
        return true;
      },
    );
  });

  it("passes an object whose namespace a former version noted with a slash", () => {
    for (const Namespace of ["team/a", "team/a/"]) {
      for (const [dialect, suffix] of [
        ["documented", ""],
        ["hashicorp", " dialect=hashicorp"],
      ] as const) {
        const given = { Address: "https://new.example.com", Namespace, Dialect: dialect };
        assertSameService(
          settings("secrets", given),
          `https://new.example.com/v1 namespace=team/a/${suffix}`,
        );
      }
    }
  });

  const moved: readonly [string, string][] = [
    ["its whole identity", former],
    ["one of several", `https://first.example.com, ${former} ,https://last.example.com`],
    ["its address with the base path", "https://old.example.com/tools/v1"],
    ["its address", "https://old.example.com/tools"],
    ["its address with a slash", "https://old.example.com/tools/"],
    ["its host", "https://old.example.com"],
  ];
  for (const [name, movedFrom] of moved) {
    it(`passes one from a place named by ${name}`, () => {
      assertFrom(movedFrom, former);
    });
  }

  const others: readonly [string, string][] = [
    ["another namespace", "https://old.example.com/tools/v1 namespace=team/b"],
    ["the beginning of its host", "https://old.example.co"],
    ["the beginning of its path", "https://old.example.com/too"],
    ["its scheme alone", "https://"],
    ["a slash", "/"],
    ["its host with another scheme", "http://old.example.com"],
  ];
  for (const [name, movedFrom] of others) {
    it(`refuses one from a place named by ${name}`, () => {
      assert.throws(
        () => assertFrom(movedFrom, former),
        (error) => ConfigurationError.isInstance(error),
      );
    });
  }
});
