import { secretsService } from "../../sdk/secrets/service";
import assert from "node:assert/strict";
import { connect } from "../../sdk/connection/connect";
import { messageOf, ServiceError } from "../../sdk/base/errors";
import type { Step } from "../../sdk/resource/definition";
import type { SecretsClient } from "../../sdk/secrets/client";
import { schedulerRoles } from "../../sdk/secrets/scheduler/role";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import { directoryOperations } from "./recordings/directory-operations";
import { identityOperations } from "./recordings/identity-operations";
import { type Asked, camelCased, type Operation } from "./recordings/operation";
import { type Exchange, exchanges, wordsOf } from "./recordings/replayed-service";
import { type RecordedResponse, type ReplayedService, replayedService } from "./recordings/replayed-service";
import { schedulerOperations } from "./recordings/scheduler-operations";

const operations = Object.entries({ ...identityOperations, ...directoryOperations, ...schedulerOperations });

/** The operation that makes an exchange's request; `undefined` when none of ours does. */
function operationFor(
  { request: { method, path, body = {} } }: Exchange,
  step: Step<SecretsClient>,
): { readonly operation: Operation; readonly asked: Asked } | undefined {
  const [bare = "", query] = path.split("?");
  const text = `${query === "list=true" ? "LIST" : method} ${bare}`;
  for (const [request, operation] of operations) {
    const found = new RegExp(`^${request.replaceAll(":name", "([^/]+)")}$`).exec(text);
    if (found !== null) {
      return { operation, asked: { step, names: found.slice(1), values: camelCased(body) } };
    }
  }
  return undefined;
}

/** Exchanges that nothing in the library makes, by what they are called in the recording. */
const notOurs: ReadonlyMap<string, string> = new Map([
  ["list static roles, none", "lists are asked for with list=true, never with a bare GET"],
  ["GET on a list path without list=true", "lists are asked for with list=true, never with a bare GET"],
  ["LIST roles /ldap2/role", "the documents have no list of dynamic roles"],
  [
    "unsupported path",
    "nothing has the path /nope/x; the answer is met below, by what asks an engine that is not mounted",
  ],
]);

/** What is understood in another way than the status says: the service's words are explained or replaced. */
const explained: ReadonlyMap<number, RegExp | "absent"> = new Map<number, RegExp | "absent">([
  // The server drops the connection of a static role before there is a configuration.
  [51, /The mount ldap2 has no directory configuration. Create it first/],
  [49, /unsupported path.*only Vault Enterprise offers push methods/],
  [95, /The static role "none" of the mount ldap2 does not exist\./],
  // Deletion of what is not there fails, and is done when a read says that it is not there.
  [99, "absent"],
  [
    131,
    /Accounts of the library set "team" of the mount ldap2 are checked out: svc1 \(checked out by a token with the hash e0abf53c\)/,
  ],
  [143, "absent"],
]);

/** An alias as it is when its creation is answered without naming it: nothing was to change. */
const alice = {
  name: "alice",
  canonical_id: "ef37e2ec-5cf0-9d93-7695-24b33c16455c",
  mount_accessor: "auth_userpass_afc3f7e5",
};
const aliceId = "25f8d60f-ee51-8058-f387-d12f7cc9da31";
const others: Readonly<Record<string, RecordedResponse>> = {
  "LIST /identity/entity-alias/id": { status: 200, body: { data: { keys: [aliceId] } } },
  [`GET /identity/entity-alias/id/${aliceId}`]: { status: 200, body: { data: alice } },
};

function reasonNotToMake({ note, request }: Exchange): string | undefined {
  return notOurs.get(note) ?? notOurs.get(`${note} ${request.path}`);
}

describe("what a real server of the hashicorp dialect has returned", () => {
  let service: ReplayedService;
  let announced: string[];

  before(async () => {
    service = await replayedService(others);
  });
  after(stopServers);

  let token = "";
  useEnvironment(() => ({
    SECRETS_ADDR: service.address,
    SECRETS_TOKEN: token,
    SECRETS_DIALECT: "hashicorp",
    SECRETS_NAMESPACE: "teams/platform",
  }));

  /** Nobody remembers what an earlier exchange has brought. */
  const newStep = (exchange: Exchange): Step<SecretsClient> => {
    token = `recorded-${exchange.index}`;
    process.env.SECRETS_TOKEN = token;
    announced = [];
    service.replay(exchange);
    const caller = {
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (_kind: string, message: string) => announced.push(message),
    };
    const { clientFor } = connect({ configuration: undefined, environment: process.env }, secretsService);
    return { ...caller, client: clientFor(caller), memory: {}, managed: new Set() };
  };

  it("are 186 exchanges, each of which is met below or by nothing in the library", () => {
    assert.equal(exchanges.length, 186);
    const made = exchanges.filter((exchange) => reasonNotToMake(exchange) === undefined);
    assert.equal(made.length + notOurs.size, 186);
    for (const index of explained.keys()) {
      assert.ok(exchanges[index] !== undefined && reasonNotToMake(exchanges[index]) === undefined);
    }
  });

  for (const exchange of exchanges.filter((each) => reasonNotToMake(each) === undefined)) {
    const { index, note, request, response } = exchange;

    it(`${index}, ${note}: ${request.method} ${request.path}`, async () => {
      const { operation, asked } =
        operationFor(exchange, newStep(exchange)) ?? assert.fail("nothing makes it");
      const outcome = await operation.make(asked).then(
        (value: unknown) => ({ value }),
        (error: unknown) => ({ error, message: messageOf(error).replace(/\s+/g, " ") }),
      );
      // Nothing that the server has answered gets better by asking again.
      assert.equal(service.asked.length, 1);

      const explanation = explained.get(index);
      const isAbsent = response?.status === 404 && "absent" in operation;
      if (explanation instanceof RegExp) {
        assert.match("message" in outcome ? outcome.message : "", explanation);
      } else if (explanation === "absent" || isAbsent) {
        assert.deepEqual(outcome, { value: operation.absent });
      } else if (response !== undefined && response.status < 300) {
        assert.deepEqual(outcome, { value: operation.brings?.(response.body?.data ?? {}, asked) });
        const warnings = response.body?.warnings ?? [];
        assert.deepEqual(
          announced,
          warnings.map((text) => `The secrets service warns: ${text}`),
        );
      } else {
        const message = "message" in outcome ? outcome.message : assert.fail("no error");
        assert.ok(message.includes(`returned ${String(response?.status)}`), message);
        wordsOf(exchange).forEach((words) => assert.ok(message.includes(words), message));
      }
    });
  }

  it("shows an engine that is not mounted as an object that does not exist", async () => {
    const { response } = exchanges[184] ?? assert.fail();
    const exchange = { index: 184, note: "", request: { method: "GET", path: "/nope/role/x" }, response };
    const { client } = newStep(exchange);
    assert.equal(await schedulerRoles.read(client, { mount: "nope", name: "x" }), undefined);
    assert.equal(service.asked.length, 1);
  });

  it("is an error of the service itself where nothing explains it", async () => {
    const exchange = exchanges[62] ?? assert.fail();
    const { operation, asked } = operationFor(exchange, newStep(exchange)) ?? assert.fail();
    await assert.rejects(
      operation.make(asked),
      (error) => ServiceError.isInstance(error) && error.status === 500,
    );
  });
});
