import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emulatedTokens } from "../cases/support/emulated-world";
import { isRecognizable } from "../engine/support/outcome";
import { startServer, stopServers } from "../http/server";
import { Ldap, LdapFailure, type Slapd, slapdMissing, startSlapd } from "./ldap";
import { CleanUp, interfacesOf, LiveDirectory, LiveWorld } from "./live-worlds";
import { probe } from "./probes";
import { serversIn } from "./servers";

const environmentOf = (secrets: string, scheduler: string) => ({
  VAULT_ADDR: secrets,
  VAULT_TOKEN: "canary-token-5d31",
  NOMAD_ADDR: scheduler,
  NOMAD_TOKEN: "canary-token-90b2",
});

describe("what the tests against real servers ask of OpenBao and Nomad themselves", () => {
  afterEach(stopServers);

  it("is what the servers were asked when it was recorded: nothing else, and nothing is left behind", async () => {
    const [bao, nomad] = await replayOf("openbao-2.6.2-operator.json", "nomad-1.10.5-operator.json");
    assert.ok(bao !== undefined && nomad !== undefined);
    const environment = environmentOf(bao.address, nomad.address);
    const servers = serversIn(environment);

    const { products, missing, unusable } = await probe(servers, interfacesOf(servers), environment);
    assert.deepEqual(unusable, []);
    assert.deepEqual(products, [
      `OpenBao 2.0.0-HEAD at ${bao.address} (a server in dev mode: it stores nothing)`,
      `Nomad 1.10.5 at ${nomad.address} (an agent in dev mode)`,
      "its engine ldap v2.0.0+builtin.bao",
      "its engine nomad",
    ]);
    const lacking = [
      "secrets service",
      "directory engine",
      "scheduler engine",
      "scheduler with ACLs",
    ] as const;
    assert.deepEqual(
      lacking.map((need) => missing.get(need)),
      [undefined, undefined, undefined, undefined],
    );
    assert.match(missing.get("step-up methods") ?? "", /^OpenBao 2\.0\.0-HEAD has no sys\/mfa\/method\/duo/);

    const world = new LiveWorld(servers);
    assert.match(await world.secrets.addEntity(), /^[\da-f-]{36}$/);
    assert.match(await world.secrets.addLogin(), /^auth_userpass_/);
    const { mount, otherMount } = await world.secrets.mount("directory");
    assert.notEqual(mount, otherMount);
    const { filter, keys } = await world.scheduler.happen();
    assert.ok(keys.includes(filter));
    assert.equal(await world.scheduler.knowsToken("99999999-8888-7777-6666-555555555555"), true);
    assert.equal(await world.scheduler.knowsToken("11111111-2222-3333-4444-555555555555"), false);
    await world.close();
    assert.deepEqual([...bao.left, ...nomad.left], []);
  });
});

/** A request of an operator to a real server, and its response. */
interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
}

/** A server that answers as a real one did. */
interface Replay {
  readonly address: string;
  /** The recorded requests that nobody has made yet. */
  readonly left: readonly string[];
}

/**
 * Plays recordings, each by a server of its own: it answers each recorded request once, and no other. Names that the
 * tests make up anew in each run are told apart by the order in which they come. Ended by `stopServers`.
 */
function replayOf(...recordings: readonly string[]): Promise<readonly Replay[]> {
  const names = new Map<string, string>();
  const common = (text: string): string =>
    text.replace(/trivium-[\da-f]{8}/g, (name) => {
      const known = names.get(name) ?? `trivium-${names.size + 1}`;
      names.set(name, known);
      return known;
    });
  return Promise.all(recordings.map((recording) => replay(recording, common)));
}

async function replay(recording: string, common: (text: string) => string): Promise<Replay> {
  const file = join(__dirname, "..", "fixtures", "wire", recording);
  const waiting = JSON.parse(readFileSync(file, "utf8")) as Exchange[];
  const told = ({ method, path, body }: Exchange["request"]): string =>
    `${method} ${path}${body === undefined ? "" : ` ${JSON.stringify(body)}`}`;
  const { address } = await startServer((response, { method, url, body }) => {
    const sent = body === "" ? {} : { body: JSON.parse(body) as unknown };
    const asked = common(told({ method, path: url, ...sent }));
    const index = waiting.findIndex(({ request }) => told(request) === asked);
    const [found] = index < 0 ? [] : waiting.splice(index, 1);
    const { status, body: answer } = found?.response ?? {
      status: 501,
      body: { errors: [`not recorded: ${asked}`] },
    };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer === null ? undefined : JSON.stringify(answer));
  });
  return {
    address,
    get left() {
      return waiting.map(({ request }) => told(request));
    },
  };
}

describe("a folder of a real directory", function () {
  this.timeout(60_000);

  const missing = slapdMissing();
  if (missing !== undefined) {
    it.skip(`is left out: ${missing}`);
    return;
  }

  let slapd: Slapd;
  let ldap: Ldap;
  const cleanUp = new CleanUp();
  let directory: LiveDirectory;

  before(async () => {
    slapd = await startSlapd();
    ldap = new Ldap(slapd);
    directory = new LiveDirectory(slapd, cleanUp);
  });
  after(() => slapd.close());

  it("holds entries with and without passwords", async () => {
    const base = await directory.base();
    const open = await directory.add("svc-1", "canary-password-5c20");
    const closed = await directory.add("svc-2");
    assert.deepEqual(new Set(await directory.below(base)), new Set([open, closed]));
    assert.equal(await directory.accepts(open, "canary-password-5c20"), true);
    assert.equal(await directory.accepts(open, "another"), false);
    assert.equal(await directory.accepts(closed, "anything"), false);
    assert.deepEqual(await directory.below(open), []);
  });

  it("shows by binding that a password was changed", async () => {
    const dn = await directory.add("svc-3", "first, with ümlaut");
    await ldap.changeOwnPassword(dn, "first, with ümlaut", "second");
    assert.deepEqual(
      [await directory.accepts(dn, "first, with ümlaut"), await directory.accepts(dn, "second")],
      [false, true],
    );
    const { dn: administrator, password } = await directory.administrator();
    assert.equal(await directory.accepts(administrator, password), true);
  });

  it("says what the server refuses, and never a password", async () => {
    await assert.rejects(directory.add("svc-3", "canary-password-77ab"), (error) => {
      assert.ok(error instanceof LdapFailure);
      assert.match(error.message, /^ldapadd ended with 68: .*Already exists/s);
      assert.ok(!error.message.includes("canary"));
      return true;
    });
  });

  it("goes with everything in it, and is one for all entries", async () => {
    const below = async () => (await ldap.below(slapd.userdn)).filter((dn) => dn.startsWith("ou=trivium-"));
    assert.deepEqual(await below(), [await directory.base()]);
    await cleanUp.run();
    assert.deepEqual(await below(), []);
    await ldap.remove(await directory.base());
  });
});

describe("a clean-up", () => {
  it("takes away the last first, goes on after a failure, and names what stays", async () => {
    const taken: string[] = [];
    const cleanUp = new CleanUp();
    cleanUp.add("one", () => Promise.resolve(taken.push("one")));
    cleanUp.add("two", () => Promise.reject(new Error("it is locked")));
    cleanUp.add("three", () => Promise.resolve(taken.push("three")));
    await assert.rejects(cleanUp.run(), /has to be by hand:\ntwo: it is locked$/);
    assert.deepEqual(taken, ["three", "one"]);
    await cleanUp.run();
    assert.deepEqual(taken, ["three", "one"]);
  });
});

describe("a token that is looked for in everything shown", () => {
  for (const token of ["root", "myroot", "password", "s.123", ""]) {
    it(`cannot be ${JSON.stringify(token)}, which occurs there anyway`, () => {
      assert.ok(!isRecognizable(token));
    });
  }

  for (const token of [
    ...Object.values(emulatedTokens),
    "hvs.canary4t5Kx",
    "6c1a2f7e-0d0b-4f43-9c3e-5c0a8f6d2b11",
    "canary.atlasv1.0x9",
    "dev-only-token",
  ]) {
    it(`can be ${JSON.stringify(token)}`, () => {
      assert.ok(isRecognizable(token));
    });
  }
});
