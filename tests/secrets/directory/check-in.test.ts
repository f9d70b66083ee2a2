import { secretsService } from "../../../sdk/secrets/service";
import assert from "node:assert/strict";
import { z } from "zod";
import { connect } from "../../../sdk/connection/connect";
import { ContractError } from "../../../sdk/base/errors";
import { processRedactor } from "../../../sdk/base/redactor";
import type { Dialect } from "../../../sdk/base/settings";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { checkInAccounts } from "../../../sdk/secrets/directory/check-out";
import { checkOutAccount } from "../../../sdk/secrets/directory/check-out";
import { accountNames, librarySetDefinition, librarySets } from "../../../sdk/secrets/directory/library-set";
import { failure } from "../../http/calls";
import { json, startServer, stopServers, type TestServer } from "../../http/server";

const set = { mount: "teams/ldap", name: "night shift" };
const checkedOut = {
  lease_id: "lease-1",
  lease_duration: 60,
  renewable: true,
  data: { service_account_name: "svc-1", password: "canary-checked-out" },
};

describe("the library of the directory engine on the wire", () => {
  afterEach(stopServers);

  /** A client of a service that answers everything with the same. */
  const clientOf = async (
    responseBody: unknown,
    dialect: Dialect = "documented",
    status = 200,
  ): Promise<{ client: SecretsClient; server: TestServer }> => {
    const server = await startServer((response) => json(response, status, responseBody));
    const environment = {
      SECRETS_ADDR: server.address,
      SECRETS_TOKEN: "token",
      SECRETS_DIALECT: dialect,
      SECRETS_MAX_RETRIES: "0",
    };
    const connection = connect({ configuration: undefined, environment }, secretsService);
    const signal = new AbortController().signal;
    const caller = { signal, progress: () => undefined, announce: () => undefined };
    return { client: connection.clientFor(caller), server };
  };
  const bodies = ({ received }: TestServer): unknown[] =>
    received.map(({ method, url, body }) => [`${method} ${url}`, JSON.parse(body) as unknown]);
  const path = "/v1/teams/ldap/library/night%20shift";
  const managePath = "/v1/teams/ldap/library/manage/night%20shift/check-in";

  const writes: readonly [string, unknown, (client: SecretsClient) => Promise<unknown>, string, object][] = [
    [
      "a write",
      { data: null },
      (client) =>
        librarySetDefinition.create({ client } as never, { ...set, serviceAccountNames: ["svc-1"], ttl: 0 }),
      path,
      { service_account_names: ["svc-1"], ttl: 0 },
    ],
    ["a check-out", checkedOut, (client) => checkOutAccount(client, set, undefined), `${path}/check-out`, {}],
    [
      "a check-out for a time",
      checkedOut,
      (client) => checkOutAccount(client, set, 60),
      `${path}/check-out`,
      { ttl: 60 },
    ],
    [
      "a check-out without an end",
      checkedOut,
      (client) => checkOutAccount(client, set, 0),
      `${path}/check-out`,
      { ttl: 0 },
    ],
    [
      "a check-in",
      { data: { check_ins: ["svc-1"] } },
      (client) => checkInAccounts(client, set, ["svc-1"], false),
      `${path}/check-in`,
      { service_account_names: ["svc-1"] },
    ],
    [
      "a check-in of the only one",
      { data: { check_ins: [] } },
      (client) => checkInAccounts(client, set, undefined, false),
      `${path}/check-in`,
      {},
    ],
    [
      "a forced check-in",
      { data: null },
      (client) => checkInAccounts(client, set, ["svc-1"], true),
      managePath,
      { service_account_names: ["svc-1"] },
    ],
  ];
  for (const [what, responseBody, call, target, body] of writes) {
    it(`names the set in the body of ${what}, as documented`, async () => {
      const { client, server } = await clientOf(responseBody);
      await call(client);
      assert.deepEqual(bodies(server), [[`POST ${target}`, { name: "night shift", ...body }]]);
    });

    it(`leaves it to the path of ${what} in the hashicorp dialect`, async () => {
      const { client, server } = await clientOf(responseBody, "hashicorp");
      await call(client);
      assert.deepEqual(bodies(server), [[`POST ${target}`, body]]);
    });
  }

  it("keeps the password out of every message from the moment it is there", async () => {
    const { client } = await clientOf(checkedOut);
    const { password } = await checkOutAccount(client, set, undefined);
    assert.ok(!processRedactor.redact(`the password is ${password}`).includes(password));
  });

  it("tells which accounts were checked in, none where the service says nothing", async () => {
    const named = await clientOf({ data: { check_ins: ["svc-1", "svc-2"] } });
    assert.deepEqual(await checkInAccounts(named.client, set, undefined, false), ["svc-1", "svc-2"]);
    for (const data of [null, { check_ins: null }, {}]) {
      const { client } = await clientOf({ data, lease_id: "" });
      assert.deepEqual(await checkInAccounts(client, set, undefined, false), []);
    }
  });

  it("counts accounts that are too many to be named", async () => {
    const { client } = await clientOf({ errors: ["not yours"] }, "documented", 400);
    const names = Array.from({ length: 100 }, (_, index) => `svc-${index}`);
    const { message } = await failure(checkInAccounts(client, set, names, false));
    assert.match(message, /100 accounts/);
    assert.ok(!message.includes("svc-99"));
  });

  for (const data of [null, {}, { password: "x" }, { service_account_name: "", password: "x" }]) {
    it(`does not treat ${JSON.stringify(data)} as a check-out, which may have happened`, async () => {
      const { client } = await clientOf({ data, lease_id: "lease-1" });
      const error = await failure(checkOutAccount(client, set, undefined));
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
    });
  }

  it("reads what a response does not say as unknown", async () => {
    const { client } = await clientOf({ data: { ttl: 60, something: "else" } });
    const fields = await librarySets.read(client, set);
    assert.deepEqual(fields, { ttl: 60 });
  });

  for (const [given, names] of [
    ["svc-1", ["svc-1"]],
    [" svc-2,svc-1 ,, svc-2", ["svc-2", "svc-1"]],
    [
      ["svc-1 ", "svc-1", "a b"],
      ["svc-1", "a b"],
    ],
  ] as const) {
    it(`treats ${JSON.stringify(given)} as the accounts ${names.join(" and ")}`, () => {
      assert.deepEqual(accountNames(z).parse(given), names);
    });
  }
});
