import assert from "node:assert/strict";
import { EmulatorClock } from "../../../sdk/testing/clock";
import { Body, type BodyRules } from "../../../sdk/testing/secrets/body";
import { type LeaseRecord, Leases } from "../../../sdk/testing/secrets/leases";
import { MountStates } from "../../../sdk/testing/secrets/mount-states";
import { Mounts } from "../../../sdk/testing/secrets/mounts";
import { Refusal } from "../../../sdk/testing/secrets/refusal";
import { useEmulator } from "../../support/use-emulator";
import { type CallOptions, type Reply, at, call, textAt } from "../call";
import { HashicorpClient, addEntries, assertRefused, dnOf, numbered, settings, users } from "./client";

describe("the emulator's secrets service", () => {
  const emulator = useEmulator();

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "secrets", method, `/v1${path}`, options);
  const aliases = "/identity/entity-alias/id";
  const methods = "/identity/mfa/method/totp";
  const method = { issuer: "acme" };

  describe("tokens", () => {
    it("are needed for everything, as X-Secrets-Token only", async () => {
      const headers = { Authorization: `Bearer ${emulator.secrets.token}` };
      for (const path of [aliases, "/nowhere"]) {
        for (const options of [{ token: null }, { token: "wrong" }, { token: null, headers }]) {
          assertRefused(await ask("GET", path, options), 403, "permission denied");
        }
      }
    });

    it("can have their rights by path: the longest that fits decides", async () => {
      const token = emulator.secrets.addToken({
        access: "none",
        paths: { "identity/": "read", "identity/mfa/": "full" },
      });
      assert.equal((await ask("POST", methods, { token, body: method })).status, 200);
      assert.equal((await ask("GET", `${aliases}?list=true`, { token })).status, 200);
      assert.equal((await ask("DELETE", `${aliases}/x`, { token })).status, 403);
      assert.equal((await ask("GET", "/sys/mfa/method/pushauth/x", { token })).status, 403);
      assert.equal((await ask("DELETE", "/identity%2Fmfa/method/totp/x", { token })).status, 404);
    });
  });

  describe("paths", () => {
    for (const path of [
      "/identity/nothing",
      "/sys/mfa/method/duo/x",
      "/ldap/nothing",
      "/ldap",
      "/ldap/",
      "/identity/entity-alias/id/",
      "/identity//entity-alias/id",
      "/identity/entity-alias/id/%E0%A4%A",
    ]) {
      it(`${path} is unsupported`, async () => {
        assertRefused(await ask("GET", path), 404, numbered("unsupported path"));
      });
    }

    it("outside of /v1/ are unknown", async () => {
      for (const path of ["/", "/v1", "/v2/identity/entity-alias/id", "/identity/entity-alias/id"]) {
        const reply = await call(emulator, "secrets", "GET", path);
        assertRefused(reply, 404, /no handler for route/);
      }
    });

    it("know their operations", async () => {
      const unsupported = numbered("unsupported operation");
      assertRefused(await ask("GET", aliases), 405, unsupported);
      assertRefused(await ask("DELETE", aliases), 405, unsupported);
      assertRefused(await ask("PATCH", methods), 405, unsupported);
      assertRefused(await ask("GET", `${methods}/x?list=true`), 405, unsupported);
    });
  });

  describe("operations", () => {
    it("come as PUT as well as POST", async () => {
      assert.equal((await ask("PUT", methods, { body: method })).status, 200);
    });

    it("take no other query", async () => {
      assertRefused(await ask("GET", `${methods}?list=yes`), 400, /list is true or false/);
      assertRefused(await ask("GET", `${methods}?list=true&after=x`), 400, /"after"/);
      assert.equal((await ask("GET", `${methods}?list=false`)).status, 405);
    });
  });

  describe("bodies", () => {
    for (const body of ["{", "[]", "null", '"text"']) {
      it(`are JSON objects: ${body} is refused`, async () => {
        assertRefused(await ask("POST", methods, { body }), 400, /failed to parse JSON input/);
      });
    }
  });
});

describe("what is set up in the emulator's secrets service", () => {
  const emulator = useEmulator();
  const state = () => emulator.inspect().secrets;

  it("adds and removes mounts", () => {
    const mount = emulator.secrets.addMount({ type: "approle", path: "approle" });
    assert.deepEqual(state().mounts.at(-1), mount);
    emulator.secrets.removeMount("approle");
    assert.equal(state().mounts.length, 3);
    assert.throws(() => emulator.secrets.removeMount("approle"), /Nothing is mounted/);
  });

  it("removes entities with their aliases and TOTP secrets", () => {
    const [gone, kept] = [emulator.secrets.addEntity(), emulator.secrets.addEntity()];
    const method = emulator.secrets.addTotpMethod({ issuer: "acme" });
    for (const { id, name } of [gone, kept]) {
      emulator.secrets.addEntityAlias({ name, canonicalId: id });
      emulator.secrets.addTotpSecret(method.id, id);
    }
    emulator.secrets.removeEntity(gone.id);
    const { entities, entityAliases, totpSecrets } = state();
    assert.deepEqual(entities, [kept]);
    assert.deepEqual(
      entityAliases.map(({ canonicalId }) => canonicalId),
      [kept.id],
    );
    assert.deepEqual(
      totpSecrets.map(({ entityId }) => entityId),
      [kept.id],
    );
    assert.throws(() => emulator.secrets.removeEntity(gone.id), /no entity/);
  });

  it("adds, replaces and removes password policies", () => {
    emulator.secrets.addPasswordPolicy({ name: "short", length: 8, characters: "ab" });
    const replaced = emulator.secrets.addPasswordPolicy({ name: "short" });
    assert.equal(replaced.length, 20);
    assert.deepEqual(state().passwordPolicies, [replaced]);
    assert.throws(() => emulator.secrets.addPasswordPolicy({ name: "x", length: 0 }), RangeError);
    assert.throws(() => emulator.secrets.addPasswordPolicy({ name: "x", characters: "" }), RangeError);
    emulator.secrets.removePasswordPolicy("short");
    assert.throws(() => emulator.secrets.removePasswordPolicy("short"), /no password policy "short"/);
  });

  it("knows no lease that was never issued", () => {
    assert.throws(() => emulator.secrets.revokeLease("ldap/creds/x/y"), /no lease "ldap\/creds\/x\/y"/);
  });
});

describe("the attributes of a body", () => {
  const strict: BodyRules = { unknown: "refused", otherKinds: "refused" };
  const lenient: BodyRules = { unknown: "ignored", otherKinds: "converted" };
  const bodyOf = (values: Readonly<Record<string, unknown>>, rules = strict): Body =>
    Body.parse(JSON.stringify(values), { known: Object.keys(values), rules });
  const assertBadRequest = (action: () => unknown, message: RegExp): void => {
    assert.throws(
      action,
      (error) => error instanceof Refusal && error.status === 400 && message.test(error.message),
    );
  };

  const read: readonly [
    keyof Body & ("text" | "boolean" | "integer" | "duration" | "list" | "map"),
    unknown,
    unknown,
  ][] = [
    ["text", "x", "x"],
    ["text", "", ""],
    ["boolean", false, false],
    ["integer", -3, -3],
    ["duration", 0, 0],
    ["duration", 90, 90],
    ["duration", "3600", 3_600],
    ["duration", " 5s ", 5],
    ["duration", "1h30m", 5_400],
    ["duration", "1d", 86_400],
    ["duration", "1.1h", 3_960],
    ["duration", "1500ms", 1],
    ["duration", "999ms", 0],
    ["duration", "1000000000ns", 1],
    ["list", "a, b,,c ", ["a", "b", "c"]],
    ["list", "", []],
    ["list", [" a ", "b"], ["a", "b"]],
    ["list", [], []],
    ["map", { a: "b" }, { a: "b" }],
    ["map", {}, {}],
  ];
  for (const [reader, value, expected] of read) {
    it(`${JSON.stringify(value)} is ${JSON.stringify(expected)} as ${reader}`, () => {
      const body = bodyOf({ field: value });
      assert.ok(body.has("field"));
      assert.deepEqual(body[reader]("field"), expected);
      assert.equal(body[reader]("other"), undefined);
    });
  }

  const refused: readonly [(typeof read)[number][0], unknown][] = [
    ["text", 1],
    ["text", ["x"]],
    ["boolean", "true"],
    ["boolean", 1],
    ["integer", "1"],
    ["integer", 1.5],
    ["integer", 1e300],
    ["duration", -1],
    ["duration", "-1s"],
    ["duration", 1.5],
    ["duration", "1.5"],
    ["duration", ""],
    ["duration", "s"],
    ["duration", "soon"],
    ["duration", "1 h"],
    ["duration", "1w"],
    ["duration", "9".repeat(20)],
    ["duration", true],
    ["duration", []],
    ["list", 5],
    ["list", ["a", 5]],
    ["list", { a: "b" }],
    ["map", "a=b"],
    ["map", ["a"]],
    ["map", { a: 1 }],
    ...(["text", "boolean", "integer", "duration", "list", "map"] as const).map(
      (reader) => [reader, null] as [typeof reader, null],
    ),
  ];
  for (const [reader, value] of refused) {
    it(`${JSON.stringify(value)} is refused as ${reader}`, () => {
      const message = /^Field validation failed: error converting input for field "field": expected /;
      assertBadRequest(() => bodyOf({ field: value })[reader]("field"), message);
    });
  }

  it("can be required, and are not empty then", () => {
    assert.equal(bodyOf({ a: "x" }).requiredText("a"), "x");
    for (const values of [{}, { a: "" }]) {
      assertBadRequest(() => bodyOf(values).requiredText("a"), /^missing a$/);
    }
  });

  it("take an empty length of time as none where the rules say so", () => {
    assert.equal(bodyOf({ a: "" }, lenient).duration("a"), 0);
    assertBadRequest(() => bodyOf({ a: "" }).duration("a"), /Field validation failed/);
  });

  it("may have names that objects have anyway", () => {
    assert.equal(bodyOf({}).has("constructor"), false);
    assertBadRequest(() => Body.parse('{"constructor": 1}', { known: [], rules: strict }), /\[constructor\]/);
    assertBadRequest(() => Body.parse('{"__proto__": 1}', { known: [], rules: strict }), /\[__proto__\]/);
  });
});

describe("the table of mounts", () => {
  let mounts: Mounts;
  beforeEach(() => {
    mounts = new Mounts("documented");
  });
  const find = (path: string): [string, string] | undefined => {
    const found = mounts.find(path.split("/"));
    return found === undefined ? undefined : [found.mount.path, found.rest];
  };

  it("calls the engines as the dialect does, and accepts both names for them", () => {
    mounts = new Mounts("hashicorp");
    mounts.add({ type: "directory", path: "corp" });
    mounts.add({ type: "nomad", path: "jobs" });
    const login = mounts.add({ type: "ldap", path: "auth/ldap" });
    assert.deepEqual(
      mounts.all().map((mount) => [mounts.shownPathOf(mount), mount.type]),
      [
        ["ldap/", "ldap"],
        ["nomad/", "nomad"],
        ["auth/userpass/", "userpass"],
        ["corp/", "ldap"],
        ["jobs/", "nomad"],
        ["auth/ldap/", "ldap"],
      ],
    );
    assert.match(login.accessor, /^auth_ldap_/);
    assert.deepEqual(
      mounts.ofEngine("directory").map(({ path }) => path),
      ["ldap", "corp"],
    );
    assert.equal(mounts.known("scheduler").accessor, "nomad_00000001");
    assert.throws(() => mounts.known("scheduler", "scheduler"), /no scheduler engine at "scheduler"/);
  });

  for (const [what, mount, message] of [
    ["a path that is taken", { type: "scheduler", path: "ldap" }, /mounted at "ldap" already/],
    [
      "a login's path that is taken",
      { type: "approle", path: "auth/userpass" },
      /mounted at "userpass" already/,
    ],
    [
      "an accessor that is taken",
      { type: "oidc", path: "x", accessor: "auth_userpass_00000001" },
      /accessor/,
    ],
    ["no path", { type: "directory", path: "/" }, /no path/],
    ["a path with a gap", { type: "directory", path: "a//b" }, /no path/],
    ["a path that climbs", { type: "directory", path: "a/../b" }, /no path/],
    ["a path of the service", { type: "directory", path: "identity/x" }, /for itself/],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(() => mounts.add(mount), message);
      assert.equal(mounts.all().length, 3);
    });
  }

  it("finds the longest path that a request begins with, segment by segment", () => {
    mounts.add({ type: "directory", path: "corp/ldap" });
    mounts.add({ type: "scheduler", path: "corp/ldap/role" });
    mounts.add({ type: "directory", path: "größe" });
    assert.deepEqual(find("corp/ldap/config"), ["corp/ldap", "/config"]);
    assert.deepEqual(find("corp/ldap/role/x"), ["corp/ldap/role", "/x"]);
    assert.deepEqual(find("corp/ldap/roles/x"), ["corp/ldap", "/roles/x"]);
    assert.deepEqual(find("gr%C3%B6%C3%9Fe/role/a%2Fb"), ["größe", "/role/a%2Fb"]);
    assert.deepEqual(find("ldap"), ["ldap", "/"]);
    for (const path of ["corp", "corp%2Fldap/config", "ldapx/config", "auth/userpass/x", "%E0%A4%A/x"]) {
      assert.equal(find(path), undefined, path);
    }
  });
});

describe("the states of mounts", () => {
  it("are kept for each mount, and start again with a new mount", () => {
    const mounts = new Mounts("documented");
    const states = new MountStates(mounts, "directory", (): string[] => []);
    const one = mounts.add({ type: "directory", path: "one" });
    const items = () => states.inspect((state) => state.map((text) => ({ text })));
    states.of(one).push("changed");
    states.at().push("usual");
    assert.equal(states.at("one"), states.of(one));
    assert.deepEqual(items(), [
      { mount: "ldap", text: "usual" },
      { mount: "one", text: "changed" },
    ]);
    mounts.remove("one");
    assert.throws(() => states.at("one"), /no directory engine at "one"/);
    assert.deepEqual(states.of(mounts.add({ type: "directory", path: "one" })), []);
    mounts.clear();
    assert.deepEqual(items(), []);
  });
});

describe("leases", () => {
  const mount = new Mounts("documented").add({ type: "directory", path: "corp/ldap" });
  let clock: EmulatorClock;
  let leases: Leases;
  let ended: string[];
  beforeEach(() => {
    clock = new EmulatorClock(0);
    leases = new Leases(clock);
    ended = [];
  });
  const issue = (path: string, duration: number, at = mount): LeaseRecord =>
    leases.issue({ mount: at, path, duration, ended: () => ended.push(path) });

  it("are named by mount and path, and never alike", () => {
    const [one, two] = [issue("creds/web", 60), issue("creds/web", 60)];
    assert.match(one.id, /^corp\/ldap\/creds\/web\/[A-Za-z0-9]{24}$/);
    assert.notEqual(one.id, two.id);
    assert.deepEqual(one, {
      id: one.id,
      duration: 60,
      renewable: true,
      issuedAt: "1970-01-01T00:00:00.000Z",
      expiresAt: "1970-01-01T00:01:00.000Z",
    });
    assert.deepEqual(leases.all(), [one, two]);
    assert.equal(leases.find(two.id), two);
  });

  it("last longer when they are renewed, counted from then on", () => {
    const { id } = issue("a", 60);
    assert.equal(leases.lastRenewal(id), undefined);
    clock.advance(50_000);
    const renewed = leases.renew(id, 0);
    assert.deepEqual([renewed?.duration, renewed?.expiresAt], [60, "1970-01-01T00:01:50.000Z"]);
    assert.equal(leases.lastRenewal(id), "1970-01-01T00:00:50.000Z");
    assert.deepEqual(leases.find(id), renewed);
    assert.equal(leases.renew(id, 20)?.duration, 20);
    clock.advance(19_999);
    assert.deepEqual(ended, []);
    clock.advance(1);
    assert.deepEqual(ended, ["a"]);
    assert.equal(leases.renew(id, 0), undefined);
  });

  it("last no longer than their terms or their mount allow, whatever is asked for", () => {
    const renewals: LeaseRecord[] = [];
    const { id } = leases.issue({
      mount,
      path: "a",
      duration: 60,
      maxDuration: 90,
      renewed: (lease) => renewals.push(lease),
      ended: () => ended.push("a"),
    });
    clock.advance(45_000);
    assert.equal(leases.renew(id, 1_000)?.duration, 45);
    assert.deepEqual(
      renewals.map(({ expiresAt }) => expiresAt),
      ["1970-01-01T00:01:30.000Z"],
    );
    assert.equal(leases.renew(issue("b", 60).id, 1e9)?.duration, 768 * 3_600);
    const endless = issue("c", 0);
    assert.deepEqual(leases.renew(endless.id, 5), endless);
  });
});

describe("the leases of the emulated secrets service, by its own endpoints", () => {
  const emulator = useEmulator({
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });
  let client: HashicorpClient;
  before(() => {
    client = new HashicorpClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await client.done("POST", "ldap/config", settings);
  });
  const state = () => emulator.inspect().secrets;

  const issuers: Readonly<Record<string, () => Promise<string>>> = {
    async account() {
      await client.done("POST", "ldap/role/web", {
        creation_ldif: `dn: cn={{.Username}},${users}\nobjectClass: person\ncn: {{.Username}}\n`,
        deletion_ldif: `dn: cn={{.Username}},${users}\nchangetype: delete\n`,
        username_template: "issued",
        default_ttl: "1h",
        max_ttl: "2h",
      });
      return textAt(await client.envelope("GET", "ldap/creds/web"), "lease_id");
    },
    async "check-out"() {
      const set = { service_account_names: "svc1", ttl: "1h", max_ttl: "2h" };
      await client.done("POST", "ldap/library/team", set);
      return textAt(await client.envelope("POST", "ldap/library/team/check-out", {}), "lease_id");
    },
    async "scheduler token"() {
      emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
      emulator.secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
      return textAt(await client.envelope("GET", "nomad/creds/ops"), "lease_id");
    },
  };
  const isThere: Readonly<Record<string, () => boolean>> = {
    account: () => state().directoryEntries.some(({ dn }) => dn === dnOf("issued")),
    "check-out": () => state().directoryLibraryAccounts.some(({ checkOut }) => checkOut !== null),
    "scheduler token": () => emulator.inspect().scheduler.aclTokens.length > 0,
  };

  for (const [what, issue] of Object.entries(issuers)) {
    const exists = isThere[what] ?? (() => false);

    it(`end at once, and with them the ${what}`, async () => {
      const id = await issue();
      assert.ok(exists());
      const reply = await client.send("PUT", "sys/leases/revoke", { lease_id: id });
      assert.deepEqual([reply.status, reply.body], [202, ""]);
      assert.deepEqual([exists(), state().leases], [false, []]);
    });

    it(`can be renewed, up to a limit: ${what}`, async () => {
      const lease_id = await issue();
      const renew = async (increment: unknown): Promise<unknown> => {
        const envelope = await client.envelope("POST", "sys/leases/renew", { lease_id, increment });
        assert.deepEqual(
          ["lease_id", "renewable", "data"].map((name) => at(envelope, name)),
          [lease_id, true, null],
        );
        return at(envelope, "lease_duration");
      };
      emulator.advance("50m");
      assert.equal(await renew("30m"), 1_800);
      emulator.advance("20m");
      assert.equal(await renew(0), 3_000);
      assert.ok(exists());
      emulator.advance("50m");
      assert.deepEqual([exists(), state().leases], [false, []]);
    });
  }

  for (const [how, method, path, body] of [
    ["in the body", "POST", () => "revoke", (id: string) => ({ lease_id: id })],
    ["in the path", "PUT", (id: string) => `revoke/${id}`, () => undefined],
    ["encoded in the path", "PUT", (id: string) => `revoke/${encodeURIComponent(id)}`, () => ({})],
  ] as const) {
    it(`are named ${how}`, async () => {
      const id = await issuers["check-out"]?.();
      assert.ok(id !== undefined);
      assert.equal((await client.send(method, `sys/leases/${path(id)}`, body(id))).status, 202);
      assert.deepEqual(state().leases, []);
    });
  }

  it("tell when they end, and when they were renewed", async () => {
    const lease_id = await issuers["check-out"]?.();
    const lookUp = async (): Promise<unknown> => client.data("PUT", "sys/leases/lookup", { lease_id });
    emulator.advance("10m");
    const data = {
      id: lease_id,
      issue_time: "2026-01-01T00:00:00.000Z",
      expire_time: "2026-01-01T01:00:00.000Z",
      last_renewal: null,
      renewable: true,
      ttl: 3_000,
    };
    assert.deepEqual(await lookUp(), data);
    await client.envelope("PUT", "sys/leases/renew", { lease_id });
    assert.deepEqual(await lookUp(), {
      ...data,
      expire_time: "2026-01-01T01:10:00.000Z",
      last_renewal: "2026-01-01T00:10:00.000Z",
      ttl: 3_600,
    });
    const [account] = state().directoryLibraryAccounts;
    assert.equal(account?.checkOut?.expiresAt, "2026-01-01T01:10:00.000Z");
  });

  it("answer like this when they are unknown, or not named", async () => {
    const lease_id = "ldap/creds/web/none";
    assert.equal((await client.send("POST", "sys/leases/revoke", { lease_id })).status, 202);
    await client.done("POST", "sys/leases/revoke", { lease_id, sync: true });
    assertRefused(await client.send("POST", "sys/leases/renew", { lease_id }), 400, "lease not found");
    assertRefused(await client.send("POST", "sys/leases/lookup", { lease_id }), 400, "invalid lease");
    for (const action of ["revoke", "renew", "lookup"]) {
      const reply = await client.send("POST", `sys/leases/${action}`, {});
      assertRefused(reply, 400, "lease_id must be specified");
    }
  });
});

describe("what a token learns about itself from the emulated secrets service", () => {
  const emulator = useEmulator({
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });

  it("can be read by every token, and no more", async () => {
    const token = emulator.secrets.addToken({ access: "none", policies: ["readers"] });
    const client = new HashicorpClient(emulator, token);
    const data = await client.data("GET", "auth/token/lookup-self");
    assert.deepEqual([at(data, "id"), at(data, "policies")], [token, ["readers"]]);
    assertRefused(await client.send("DELETE", "auth/token/lookup-self"), 403, "permission denied");
    assertRefused(await client.send("GET", "ldap/config"), 403, "permission denied");
  });
});
