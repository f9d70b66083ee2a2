import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { allFieldsOf } from "../cases/support/case";
import { canaries, functions, otherFunctions } from "../cases/functions";
import { Processes, projectInputs } from "../contract/support/contracts";
import { stopServers } from "../http/server";
import { CallError } from "../support/provider-process";
import type { Exchange, Replacement } from "../support/proxy";
import { definitions, triedCases, triedFunctions, useServices } from "../support/services";
import { Selection, tried } from "./support/extent";
import {
  assertUnpolluted,
  complaintsAbout,
  membersOf,
  placeOf,
  type Mutation,
  mutationsOf,
  secretsOf,
} from "./support/judge";
import { flood, type TestedCall, testedCalls, type Taken, useElsewhere } from "./support/tested-calls";

/** Each response that stalls takes this long. */
const impatience = "400ms";

/** The resources that are asked for by a name, so that an id in their response is one of their outputs. */
const namedOtherwise = ["secrets/mfa:PushMethod"];

/** Requests that ask first, so that there might be nothing left to do. */
const askedFirst = ["provisioning:ModuleConsumers", "provisioning:ProviderConsumers"];

/** What the documents do not describe is handed to programs as it is, and an empty list has no details that it lacks. */
const passedThrough =
  /^result[.\w[\]]*\.owners\[\]\.attributes\.|^result\.(?:aliases|methods): array, not null$/;

describe("services whose responses are wrong, none, or never end", function () {
  this.timeout(1_800_000);

  const services = useServices({ REQUEST_TIMEOUT: impatience });
  const bodies = new Selection(167);
  const responses = new Selection(113);
  const clean = new Map<TestedCall, Taken>();
  const elsewhere = useElsewhere();

  /** As services should respond. */
  const rightOf = async (tested: TestedCall): Promise<Taken> => {
    const taken = clean.get(tested) ?? (await tested.take(services));
    clean.set(tested, taken);
    return taken;
  };
  /** Of everything that a class or a function sends and receives. */
  const kindsFor = async ({ name }: TestedCall): Promise<Kinds> => {
    const values: unknown[] = [];
    for (const tested of testedCalls.filter((each) => each.name === name)) {
      const { outcome, given } = await rightOf(tested);
      values.push(outcome.outputs ?? {}, ...given);
    }
    return kindsOf(...values);
  };

  it("hostile responses are tried on every resource and every function", () => {
    const types = new Set(triedCases.map(({ type }) => type));
    assert.deepEqual([...types].sort(), [...definitions.keys()].sort());
    const names = new Set([...triedFunctions.map((each) => each.name), ...otherFunctions]);
    assert.deepEqual([...functions.keys()].sort(), [...names].sort());
  });

  for (const tested of testedCalls) {
    const { name, step } = tested;

    it(`${name} survives members of wrong types in ${step}`, async () => {
      const right = await rightOf(tested);
      const kinds = await kindsFor(tested);
      const found: string[] = [];
      for (const exchange of right.exchanges.filter(({ response }) => /^[[{]/.test(response))) {
        const { method, target } = exchange;
        for (const mutation of bodies.from(mutationsOf(exchange.response))) {
          const altered: string[] = [];
          // Two simultaneous requests can arrive in another order.
          const alter = ({ number, target: asked, response }: Exchange) => {
            const isIt = number === exchange.number && shapeOf(asked) === shapeOf(target);
            altered.push(...(isIt ? [asked] : []));
            return isIt ? { body: mutation.apply(response) } : undefined;
          };
          const taken = await tested.take(services, { alter });
          // A list can replace the request.
          if (altered.length === 0) {
            continue;
          }
          tried(name, "bodies");
          const at = `${method} ${target}, ${mutation.at || "the body"} is ${mutation.what}`;
          const problems = judge(tested, right, taken, exchange, mutation, kinds);
          found.push(...problems.map((problem) => `${at}: ${problem}`));
        }
      }
      assert.deepEqual(found.slice(0, 20), [], `${found.length} problems`);
    });

    if (step === "get" || step === "update") {
      continue;
    }
    it(`${name} survives responses that no service returns in ${step}`, async () => {
      const { exchanges } = await rightOf(tested);
      for (const exchange of step === "call" ? exchanges.slice(0, 1) : exchanges) {
        for (const hostile of responses.from(hostileResponses(elsewhere.address))) {
          const alter = ({ number }: Exchange) => (number === exchange.number ? hostile.response : undefined);
          const taken = await tested.take(services, { alter, settings: { RequestTimeout: impatience } });
          tried(name, "responses");
          assertHarmless(tested, taken, exchange, hostile.name);
        }
      }
    });
  }
});

const megabyte = 1024 * 1024;
const page = `<!doctype html><html><head><title>Sign in</title></head><body>${"<p>x</p>".repeat(100)}</body></html>`;
const largePage = `<html>${"words ".repeat((10 * megabyte) / 6)}</html>`;
const zeros = gzipSync(Buffer.alloc(50 * megabyte));
const html = { "content-type": "text/html" };

type Row = readonly [string, number, Replacement["body"], Replacement["headers"]?];

/** Responses that are complete: name, status, body, headers. */
const complete: readonly Row[] = [
  ["200 with a page", 200, page, html],
  ["200 with a page said to be JSON", 200, page],
  ["200 with text", 200, "fine", { "content-type": "text/plain" }],
  ["200 with half of the JSON", 200, '{"data":{"id":"half'],
  ["200 with JSON twice", 200, '{"data":{}}{"data":{}}'],
  ["200 with bytes that are no UTF-8", 200, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28])],
  ["200 with zeros in gzip", 200, zeros, { "content-encoding": "gzip" }],
  ...["null", "true", "7", '"text"', "[]", "[[]]", "{}", '{"data":null}', '{"errors":[]}'].map(
    (body): Row => [`200 with ${body}`, 200, body],
  ),
  ["200 with 100,000 lists in each other", 200, "[".repeat(1e5) + "]".repeat(1e5)],
  ["404 with a page", 404, page, html],
  ["404 with text", 404, "404 page not found"],
  ["404 of a gateway", 404, '{"message":"no Route matched with those values"}'],
  ["404 with null", 404, "null"],
  ["404 with a list", 404, "[]"],
  ["410 with JSON", 410, '{"errors":[]}'],
  ...[400, 401, 403, 404, 409, 422, 429, 500, 502, 503].map((status): Row => {
    return [`${status} with 10 MB`, status, largePage, html];
  }),
  ...[400, 500].flatMap((status): readonly Row[] => [
    [`${status} with a deep error`, status, '{"errors":{"a":{"b":{"c":[[["deep"]]]}}}}'],
    [`${status} with a number`, status, '{"errors":7}'],
    [`${status} with a prototype`, status, '{"__proto__":{"polluted":true}}'],
    [`${status} with a list of null`, status, "[null]"],
  ]),
  ...[300, 304, 305, 418, 599].map((status): Row => [`status ${status}`, status, ""]),
  ...["1e9", "-5", "NaN", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "9".repeat(400)].flatMap(
    (wait): readonly Row[] => [
      [`429, retry after ${wait.slice(0, 20)}`, 429, "", { "retry-after": wait }],
      [`429, reset at ${wait.slice(0, 20)}`, 429, "", { "x-ratelimit-reset": wait }],
    ],
  ),
];

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** Writes a byte now and then until the other side has had enough. */
function drip(socket: Socket, text: string): void {
  let position = 0;
  const timer = setInterval(() => socket.write(text[position++ % text.length] ?? ""), 10);
  socket.on("close", () => clearInterval(timer));
}

/** Responses that break the rules of HTTP. */
const broken: Readonly<Record<string, string>> = {
  "bytes that are no HTTP": "\0\u0001\u0002 hello\r\n\r\n",
  "HTTP/1.0 without a length": 'HTTP/1.0 200 OK\r\n\r\n{"data":',
  "a body shorter than its length": `${head}Content-Length: 999\r\n\r\n{"data":1`,
  "two lengths": `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  "a negative length": `${head}Content-Length: -1\r\n\r\n{}`,
  "an invalid chunk": `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
};

const block = "x".repeat(64 * 1024);
const earlyHints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);

/** Responses that never end: how they begin, and how they go on. */
const endless: readonly (readonly [name: string, begin: string, goOn: typeof flood, piece: string])[] = [
  ["an endless chunk", `${head}Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n`, flood, block],
  ["an endless success", `${head}Connection: close\r\n\r\n{"data":"`, flood, block],
  ["an endless refusal", "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n", flood, block],
  ["headers without end", "HTTP/1.1 200 OK\r\n", flood, `X-Filler: ${"y".repeat(1000)}\r\n`],
  ["early responses without end", "", flood, earlyHints],
  ["headers drop by drop", "", drip, "HTTP/1.1 200 OK\r\nX-Slow: 1\r\n"],
  ["a body drop by drop", `${head}Content-Length: 1000000\r\n\r\n`, drip, " "],
];

/**
 * Responses that no service of the three should give. Those that stall are found out at the time limit of the request.
 *
 * @param elsewhere another server, that must never be asked anything
 */
function hostileResponses(elsewhere: string) {
  const redirects = [301, 302, 303, 307, 308].flatMap((status): readonly Row[] => [
    [`${status} to another server`, status, "", { location: `${elsewhere}/v1/x` }],
    [`${status} to the same server`, status, "", { location: "/v1/elsewhere" }],
  ]);
  const nowhere: Row = ["308 to nowhere", 308, "", { location: "http://[" }];
  return [
    ...[...complete, ...redirects, nowhere].map(([name, status, body = "", headers = {}]) => {
      return { name, response: { status, body, headers }, stalls: false };
    }),
    { name: "no response at all", response: (socket: Socket) => void socket.destroy(), stalls: false },
    ...Object.entries(broken).map(([name, bytes]) => {
      return { name, response: (socket: Socket) => void socket.end(bytes), stalls: false };
    }),
    ...endless.map(([name, begin, goOn, piece]) => ({
      name,
      stalls: goOn === drip || piece === earlyHints,
      response: (socket: Socket) => {
        socket.write(begin);
        goOn(socket, piece);
      },
    })),
  ];
}

/** Another list shows that the service responds: the documentation has none of these. */
const unlisted =
  /^secrets\/(?:directory:(?:Config|DynamicRole|RootRotation)|scheduler:(?:Access|Lease)|mfa:PushMethod)\b/;

function assertHarmless(tested: TestedCall, taken: Taken, { method, target }: Exchange, response: string) {
  const { outcome } = taken;
  const what = `${method} ${target}, ${response}`;
  assertUnpolluted();
  assert.deepEqual(complaintsIn(tested, taken), [], what);
  // According to the secrets service's documentation, a success without data can mean absence.
  const saysAbsence =
    tested.name.startsWith("secrets/") &&
    (/^200 with (?:null|\{"data":null\})$/.test(response) ||
      (unlisted.test(tested.name) && /^404 (?:of a gateway|with null|with a list)$/.test(response)));
  // The status of a library set without accounts has no data, so nothing of it is checked out.
  const saysThatNothingIsOut =
    target.endsWith("/status") && /^200 with (?:null|\{\}|\{"data":null\}|\{"errors":\[\]\})$/.test(response);
  if (!saysThatNothingIsOut && !saysAbsence) {
    assert.notEqual(outcome.kind, "gone", `${what}: it was taken to be gone`);
  }
  if (["create", "refresh"].includes(tested.step) && ["done", "partial"].includes(outcome.kind)) {
    assert.ok(outcome.id, what);
  }
}

function complaintsIn({ tried }: TestedCall, { outcome: { message }, exchanges }: Taken): string[] {
  return message === undefined ? [] : complaintsAbout(message, secretsOf(exchanges, tried?.canaries));
}

/** What is wrong with the outcome of a step in which a member of a response was of a wrong type. */
function judge(
  tested: TestedCall,
  right: Taken,
  taken: Taken,
  { method, target, response }: Exchange,
  { at, what }: Mutation,
  kinds: Kinds,
): string[] {
  assertUnpolluted();
  const { outcome, exchanges, id: before } = taken;
  const { step, tried: { type } = { type: "" } } = tested;
  const { kind, message, id, outputs = {} } = outcome;
  const ofMessage = [
    ...complaintsIn(tested, taken),
    ...(message === undefined || namesPlace(message, placesOf(at, response))
      ? []
      : [`it names another member: ${message}`]),
  ];
  if (step === "call") {
    const strangers = strangersIn(outputs, kinds, () => true);
    return [...ofMessage, ...strangers.filter((text) => !passedThrough.test(text))];
  }
  const { __managed, __at, __secrets, __provider, ...values } = outputs;
  const exists = kind === "done" || kind === "partial";
  const changes = countChanges(exchanges);
  // An account that a status does not name, or calls available, has been returned.
  const mayBeReturned = type === "secrets/directory:LibraryCheckout" && target.endsWith("/status");
  const saysAbsence = type.startsWith("secrets/") && what === "null" && ["", "data"].includes(at);
  const mayHaveNothingToDo = mayBeReturned || (step === "delete" && askedFirst.includes(type));
  const isOfAnotherObject =
    step !== "create" &&
    ["GET", "PATCH"].includes(method) &&
    at === "data.id" &&
    what === "a text" &&
    !namedOtherwise.includes(type);
  const isLost = kind === "failed" && step === "create" && changes > 0;
  const problems: Readonly<Record<string, boolean>> = {
    "it was taken to be gone": kind === "gone" && !mayBeReturned && !saysAbsence,
    [`its id is ${id}`]: exists && (step === "create" ? !id : id !== undefined && id !== before),
    "it was said to be done and was not":
      kind === "done" && changes < countChanges(right.exchanges) && !mayHaveNothingToDo,
    [`it does not say that it might exist: ${message}`]: isLost && !/\bmight\b|exist/.test(message ?? ""),
    "it was about another object": isOfAnotherObject && kind === "done",
  };
  return [
    ...ofMessage,
    ...strangersIn(values, kinds, (place) => mayBeMissing(type, place)),
    ...Object.keys(problems).filter((problem) => problems[problem]),
  ];
}

function mayBeMissing(type: string, at: string): boolean {
  const definition = definitions.get(type) ?? assert.fail(type);
  const [name = ""] = at.replace("__private.former.", "").split(/[.[]/, 1);
  // What never expires has no expiry, and a password might never have been rotated: the service can return null or omit it.
  const { told = "always", nullable = false } = allFieldsOf(definition)[name] ?? {};
  return told !== "always" || nullable || name in definition.arguments;
}

/** How many requests have changed something in the service. */
function countChanges(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ method, status }) => method !== "GET" && status < 300).length;
}

/** The kinds of values at each place: `permissions.canUpdate` is a boolean; items are one place. */
type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

function kindsOf(...values: readonly unknown[]): Kinds {
  const kinds = new Map<string, Set<string>>();
  for (const value of values) {
    visit(value, (kind, at) => kinds.set(at, (kinds.get(at) ?? new Set()).add(kind)));
  }
  return kinds;
}

/**
 * What in a value is of another kind than what stood at its place in values that are right.
 *
 * @param mayBeNull whether a place can be empty
 * @returns one text for each place
 */
function strangersIn(value: unknown, kinds: Kinds, mayBeNull: (at: string) => boolean): string[] {
  const strangers: string[] = [];
  visit(value, (kind, at) => {
    const known = kinds.get(at);
    // Where correct responses have nothing, neither a list nor a number is meant: only a text can be missing here.
    const mayAppear = kind === "string" && known?.size === 1 && known.has("null");
    // A member that right responses do not have is fine where they have others of its kind.
    const expected = known ?? siblingKinds(kinds, at);
    if (mayAppear || (kind === "null" && mayBeNull(at)) || expected.has(kind)) {
      return known !== undefined && expected.has(kind);
    }
    strangers.push(`${at}: ${kind}, not ${[...expected].join(" or ")}`);
    return false;
  });
  return strangers;
}

function siblingKinds(kinds: Kinds, at: string): Set<string> {
  const parent = at.slice(0, Math.max(at.lastIndexOf("."), at.lastIndexOf("[]"), 0));
  const siblings = [...kinds].filter(([place]) => {
    const rest = place.startsWith(parent) ? place.slice(parent.length) : "";
    return rest === "[]" || /^\.[^.]*$/.test(rest);
  });
  // The items of a list that was empty in right responses are texts: no list here holds anything else.
  return siblings.length === 0 && at.endsWith("[]")
    ? new Set(["string"])
    : new Set(siblings.flatMap(([, each]) => [...each]));
}

/** @param see receives the value and everything within it; `false` leaves out what is within */
function visit(value: unknown, see: (kind: string, at: string) => unknown, at = ""): void {
  const kind = value === undefined || value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (see(kind, at) !== false) {
    membersOf(value).forEach(([key, item]) => visit(item, see, placeOf(at, key, "[]")));
  }
}

/** Without names and ids that differ from run to run. */
function shapeOf(target: string): string {
  // An ID such as prj-... can be without digits.
  return target.replace(/\b[a-z]+-\w{16}\b|[\w-]*\d[\w-]*/g, "");
}

/** Whether the message about a member that is wrong names it, something around it or something in it. */
function namesPlace(message: string, places: readonly string[]): boolean {
  const [, named = ""] =
    /Unexpected response to [^:]+(?::\/\/[^ ]+)?: (?:([\w-]+(?:[.[][^:\s]*)?): )?/.exec(message) ?? [];
  const [there = "", ...here] = [named, ...places].map((place) => place.replace(/[0-9a-f-]{36}/g, "<id>"));
  return here.some((place) => place.includes(there) || there.includes(place));
}

interface Related {
  readonly type: string;
  readonly id: string;
}

interface Relating {
  readonly relationships?: Readonly<Record<string, { readonly data?: Related | readonly Related[] | null }>>;
}

/** What is included is named by the relationships that lead to it too, and by these alone if it is not what they name. */
function placesOf(at: string, response: string): string[] {
  const [isIncluded, index, member = ""] = /^included(?:\[(\d+)\](.*))?$/.exec(at) ?? [];
  if (isIncluded === undefined) {
    return [at];
  }
  const { data, included = [] } = JSON.parse(response) as {
    readonly data: Relating | readonly Relating[];
    readonly included?: readonly Related[];
  };
  const objects = Array.isArray(data)
    ? (data as readonly Relating[]).map((each, position) => [`data[${position}]`, each] as const)
    : [["data", data as Relating] as const];
  const meant = index === undefined ? included : included.slice(Number(index), Number(index) + 1);
  const within = [".id", ".type"].includes(member) ? "" : member;
  const leading = objects.flatMap(([place, { relationships = {} }]) =>
    Object.entries(relationships).flatMap(([name, { data: related }]) =>
      [related ?? []].flat().flatMap(({ type, id }, position) => {
        const isMeant = meant.some((each) => each.type === type && each.id === id);
        return isMeant ? [`${place}.relationships.${name}.data[${position}]${within}`] : [];
      }),
    ),
  );
  return [at, ...leading];
}

describe("the engine's provider process, before a hostile service", function () {
  this.timeout(600_000);

  const processes = new Processes();
  const services = useServices();
  const elsewhere = useElsewhere();

  after(() => processes.stop(canaries));
  after(stopServers);

  it("the provider process keeps running, and manages the objects once the service works again", async () => {
    const { proxy } = services;
    const provider = await processes.start(services.configuration({ RequestTimeout: "2s" }));
    const all = hostileResponses(elsewhere.address).filter(({ stalls }) => !stalls);
    for (const { name, response } of new Selection(9).from(all)) {
      // The first request looks whether there is one, the second one makes it.
      for (const hostile of [0, 1]) {
        const { organization } = await services.prepareFunction();
        proxy.clear();
        proxy.after = (exchange) => (exchange.number === hostile ? response : undefined);
        const creation = provider.create(projectInputs({ organization, name: "payments" }));
        const error = await creation.then(() => undefined).catch((caught: unknown) => caught);
        tried("provisioning:Project", "provider process");
        if (error !== undefined) {
          assert.ok(error instanceof CallError, name);
          assert.deepEqual(complaintsAbout(error.message, canaries), [], name);
        }
        assert.ok(!provider.hasEnded, name);
      }
    }
    proxy.clear();
    const { organization } = await services.prepareFunction();
    const inputs = projectInputs({ organization, name: "payments" });
    const { id, outputs } = await provider.create(inputs);
    const updated = await provider.update(id, outputs, { ...inputs, name: "billing" });
    assert.equal(updated.name, "billing");
    await provider.delete(id, updated);
    const names = services.emulator.inspect().provisioning.projects.map(({ name }) => name);
    assert.ok(!names.includes("billing"));
  });
});
