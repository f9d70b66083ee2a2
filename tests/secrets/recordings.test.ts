import assert from "node:assert/strict";
import { messageOf, ServiceError } from "../../sdk/base/errors";
import { connect } from "../../sdk/connection/connect";
import type { Step } from "../../sdk/resource/definition";
import type { SecretsClient } from "../../sdk/secrets/client";
import { schedulerRoles } from "../../sdk/secrets/scheduler/role";
import { secretsService } from "../../sdk/secrets/service";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import { directoryOperations } from "./recordings/directory-operations";
import { identityOperations } from "./recordings/identity-operations";
import { camelCased } from "./recordings/operation";
import {
  type Exchange,
  exchanges,
  type ReplayedService,
  replayedService,
} from "./recordings/replayed-service";
import { schedulerOperations } from "./recordings/scheduler-operations";

const operations = Object.entries({ ...identityOperations, ...directoryOperations, ...schedulerOperations });

/** The operation of the library that makes an exchange's request, and what its path names. */
function operationFor({ request: { method, path } }: Exchange) {
  const [bare = "", query] = path.split("?");
  for (const [request, operation] of operations) {
    const pattern = new RegExp(`^${request.replaceAll(":name", "([^/]+)")}$`);
    const found = pattern.exec(`${query === "list=true" ? "LIST" : method} ${bare}`);
    if (found !== null) {
      return { ...operation, names: found.slice(1) };
    }
  }
  return assert.fail("no operation makes it");
}

/** What nothing in the library requests, by note or path: lists with a bare GET, a list of dynamic roles, no path. */
const notOurs: readonly string[] = [
  "list static roles, none",
  "GET on a list path without list=true",
  "LIST roles /ldap2/role",
  "unsupported path",
];
const isOurs = ({ note, request }: Exchange): boolean =>
  !notOurs.includes(note) && !notOurs.includes(`${note} ${request.path}`);

/** What has another outcome than the status says. */
const explained: ReadonlyMap<number, RegExp | "absent"> = new Map<number, RegExp | "absent">([
  // The server drops the connection of a static role before there is a configuration.
  [51, /The mount ldap2 has no directory configuration. Create it first/],
  [49, /unsupported path.*only Vault Enterprise offers push methods/],
  [95, /The static role "none" of the mount ldap2 does not exist\./],
  // Deletion of what does not exist fails, and is done when a read says that it does not exist.
  [99, "absent"],
  [
    131,
    /Accounts of the library set "team" of the mount ldap2 are checked out: svc1 \(checked out by a token with the hash e0abf53c\)/,
  ],
  [143, "absent"],
]);

/** An alias as it is when the response to its creation does not name it: nothing was to change. */
const alice = {
  name: "alice",
  canonical_id: "ef37e2ec-5cf0-9d93-7695-24b33c16455c",
  mount_accessor: "auth_userpass_afc3f7e5",
};
const aliceId = "25f8d60f-ee51-8058-f387-d12f7cc9da31";

describe("what a real server of the hashicorp dialect has returned", () => {
  let service: ReplayedService;
  let announced: string[];
  let token = "";

  before(async () => {
    service = await replayedService({
      "LIST /identity/entity-alias/id": { status: 200, body: { data: { keys: [aliceId] } } },
      [`GET /identity/entity-alias/id/${aliceId}`]: { status: 200, body: { data: alice } },
    });
  });
  after(stopServers);
  useEnvironment(() => ({
    SECRETS_ADDR: service.address,
    SECRETS_TOKEN: token,
    SECRETS_DIALECT: "hashicorp",
    SECRETS_NAMESPACE: "teams/platform",
  }));

  /** A connection of its own, which has no state of earlier exchanges. */
  const newStep = (exchange: Exchange): Step<SecretsClient> => {
    process.env.SECRETS_TOKEN = token = `recorded-${exchange.index}`;
    announced = [];
    service.replay(exchange);
    const caller = {
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (_kind: string, message: string) => announced.push(message),
    };
    const { clientFor } = connect({ configuration: undefined, environment: process.env }, secretsService);
    return { ...caller, client: clientFor(caller), privateState: {}, managed: new Set() };
  };
  const make = (exchange: Exchange) => {
    const { names, ...operation } = operationFor(exchange);
    const asked = { step: newStep(exchange), names, values: camelCased(exchange.request.body ?? {}) };
    return { operation, asked, outcome: operation.make(asked) };
  };
  /** A repeated request would have the same response. */
  const assertOneRequest = (): void => {
    const sent = service.received.map(({ headers }) => [
      headers["x-vault-request"],
      headers["x-vault-namespace"],
      headers["x-vault-token"],
      headers["x-secrets-token"],
      headers.authorization,
    ]);
    assert.deepEqual(sent, [["true", "teams/platform", token, undefined, undefined]]);
  };

  it("the recordings of a real server are 186 exchanges, each of which is made below or by nothing in the library", () => {
    assert.equal(exchanges.length, 186);
    assert.equal(exchanges.filter(isOurs).length, 186 - notOurs.length);
    const made = exchanges.filter(isOurs).map(({ index }) => index);
    const actual = [...explained.keys()].filter((index) => !made.includes(index));
    assert.deepEqual(actual, []);
  });

  for (const exchange of exchanges.filter(isOurs)) {
    const { index, note, request, response } = exchange;

    it(`the recorded response ${index}, ${note}: ${request.method} ${request.path}`, async () => {
      const { operation, asked, outcome } = make(exchange);
      const [settled] = await Promise.allSettled([outcome]);
      const message =
        settled.status === "rejected" ? messageOf(settled.reason).replace(/\s+/g, " ") : "no error";
      const value = settled.status === "fulfilled" ? settled.value : message;
      assertOneRequest();

      const explanation = explained.get(index);
      if (explanation instanceof RegExp) {
        assert.match(message, explanation);
      } else if (explanation === "absent" || (response?.status === 404 && "absent" in operation)) {
        assert.deepEqual(value, operation.absent);
      } else if (response !== undefined && response.status < 300) {
        assert.deepEqual(value, operation.brings?.(response.body?.data ?? {}, asked));
        const warnings = response.body?.warnings ?? [];
        assert.deepEqual(
          announced,
          warnings.map((text) => `The secrets service warns: ${text}`),
        );
      } else {
        // The service's words, without those that only count them.
        const errors = (response?.body?.errors ?? []).map((text) => text.replace(/\s+/g, " "));
        const words = errors.map((text) => text.replace(/^1 error occurred: \* /, "").trim());
        [`returned ${String(response?.status)}`, ...words].forEach((each) =>
          assert.ok(message.includes(each), message),
        );
      }
    });
  }

  it("the library shows an engine that is not mounted as an object that does not exist", async () => {
    const { response } = exchanges[184] ?? assert.fail();
    const exchange = { index: 184, note: "", request: { method: "GET", path: "/nope/role/x" }, response };
    const { client } = newStep(exchange);
    assert.equal(await schedulerRoles.read(client, { mount: "nope", name: "x" }), undefined);
    assertOneRequest();
  });

  it("a recorded response is an error of the service itself where nothing explains it", async () => {
    const { outcome } = make(exchanges[62] ?? assert.fail());
    await assert.rejects(outcome, (error) => ServiceError.isInstance(error) && error.status === 500);
  });
});
