import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { functions } from "./cases/functions";
import { useEnvironment } from "./connection/environment";
import {
  json,
  type Received,
  type Responder,
  startServer,
  stopServers,
  type TestServer,
} from "./http/server";
import { FakeEngine, providerWith } from "./support/fake-engine";
import type { Properties } from "./support/provider-process";
import { configurationWith, services } from "./support/proxy";
import { definitions } from "./support/services";

/** A request: its line, and its body if it has one. */
type Asked = string | readonly [line: string, body: unknown];

/** What is called, what the samples say, and what is asked for it. */
interface Calls {
  readonly functions: Readonly<Record<string, { args: object; result: unknown; asks: readonly Asked[] }>>;
  readonly resources: Readonly<Record<string, Programs>>;
}

interface Programs {
  readonly programs: readonly Properties[];
  /** After a refresh. */
  readonly outputs: object;
  readonly asks: readonly Asked[];
  /** What the creation needs is there before it. */
  readonly exists?: boolean;
}

const root = join(__dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** An operation of the documents, and its sample response: the fields of their tables with values that these allow. */
interface Operation {
  readonly endpoint: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
}

const operations = services.flatMap((service) => {
  const samples = JSON.parse(read(`tests/fixtures/documents/${service}.json`)) as readonly Operation[];
  const prefix = service === "provisioning" ? "/api/v2" : "/v1";
  return samples.map((sample) => ({ ...sample, prefix, method: sample.endpoint.split(" ", 1)[0] }));
});

const calls = JSON.parse(read("tests/fixtures/documents/calls.json")) as Calls;

/** The endpoints of the documents, as the tables of requirements name them. */
const endpoints = ["provisioning-service", "secrets-service", "scheduler-events"].flatMap((file) =>
  read(`contributing/requirements/${file}.md`)
    .split("\n")
    .filter((line) => !/^[^|]*\|[^|]*(?:of the products? alone|in the hashicorp dialect)/.test(line))
    .flatMap((line) => /^\| `((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/.exec(line)?.[1] ?? []),
);

describe("the samples of the documents as responses", () => {
  let server: TestServer;
  /** Nothing has been written yet, so that the object is absent, and in no list. */
  let isFresh = false;

  const respond: Responder = (response, { method, url }) => {
    const path = url.replace(/\?.*/, "");
    const found = operations.find((each) => each.method === method && each.prefix + each.path === path);
    if (found === undefined) {
      json(response, 501, { errors: [`no document has ${method} ${url}`] });
      return;
    }
    const { status, body } = method === "GET" && isFresh ? absent(found) : found;
    isFresh = method === "DELETE" || (isFresh && method === "GET");
    if (body === undefined) {
      response.writeHead(status).end();
    } else {
      json(response, status, body);
    }
  };

  const settings = { Token: "canary-documents", MaxRetries: "0" };
  const configuration = () => configurationWith(() => ({ ...settings, Address: server.address }));
  useEnvironment(() =>
    Object.fromEntries(
      services.flatMap((service) => [
        [`${service.toUpperCase()}_ADDR`, server.address],
        [`${service.toUpperCase()}_TOKEN`, settings.Token],
      ]),
    ),
  );
  before(async () => {
    server = await startServer(respond);
  });
  beforeEach(() => {
    server.received.splice(0);
    isFresh = false;
  });
  after(stopServers);

  it("the requirements have one sample for each documented endpoint, and each is requested below", () => {
    assert.deepEqual(operations.map(({ endpoint }) => endpoint).toSorted(), endpoints.toSorted());
    const asked = [...Object.values(calls.functions), ...Object.values(calls.resources)].flatMap(({ asks }) =>
      asks.map((each) => (typeof each === "string" ? each : each[0]).replace(/\?.*/, "")),
    );
    const isMissing = ({ method, prefix, path }: (typeof operations)[number]) =>
      !asked.includes(`${method} ${prefix}${path}`);
    assert.deepEqual(operations.filter(isMissing), []);
  });

  for (const [name, { args, result, asks }] of Object.entries(calls.functions)) {
    it(`the function ${name} sends the documented request, and accepts the documented response`, async () => {
      const call = functions.get(name) ?? assert.fail(name);
      const got = plain(await call(args));
      assert.deepEqual(got, result);
      assert.deepEqual(server.received.map(requestOf), asks);
    });
  }

  for (const [type, { programs, outputs, asks, exists = false }] of Object.entries(calls.resources)) {
    it(`${type} is created, updated, refreshed and destroyed with the documented requests and their responses`, async () => {
      isFresh = !exists;
      const definition = definitions.get(type) ?? assert.fail(type);
      const engine = new FakeEngine(definition, {
        operate: (work) => work(providerWith(definition, configuration()), {}),
      });
      for (const program of programs) {
        await engine.up(program);
      }
      assert.ok(await engine.refresh());
      const kept = decidedByService(engine.outputs);
      await engine.destroy();
      assert.deepEqual(kept, outputs);
      assert.deepEqual(server.received.map(requestOf), asks);
    });
  }
});

/** As JSON has it: null for nothing, and no member that is undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

/** The outputs that the service's responses decide: not what the library keeps for itself, and no times of this machine. */
function decidedByService(outputs: Properties): unknown {
  const kept = Object.entries(outputs).filter(([name]) => !/^(?:__.*|rotatedAt|expiresAt)$/.test(name));
  return plain(Object.fromEntries(kept));
}

/** The same response for an object or a list without one. */
function absent({ body }: Operation): Pick<Operation, "status" | "body"> {
  const data = Array.isArray(body) ? body : (body as { readonly data: unknown }).data;
  if (Array.isArray(data)) {
    return { status: 200, body: data === body ? [] : { ...(body as object), data: [] } };
  }
  return "keys" in (data as object)
    ? { status: 200, body: { data: { keys: [] } } }
    : { status: 404, body: { errors: [] } };
}

/** A request as the tables write it: `GET /v1/event/stream`, and its body if it has one. */
function requestOf({ method, url, body }: Received): Asked {
  const line = `${method} ${decodeURIComponent(url)}`;
  return body === "" ? line : [line, JSON.parse(body) as unknown];
}
