import assert from "node:assert/strict";
import { EmulatorClock } from "../../../sdk/testing/clock";
import { Body } from "../../../sdk/testing/secrets/body";
import { Leases } from "../../../sdk/testing/secrets/leases";
import { Mounts, MountStates } from "../../../sdk/testing/secrets/mounts";
import { Refusal } from "../../../sdk/testing/secrets/refusal";
import type { LeaseRecord } from "../../../sdk/testing/secrets/types";
import { useEmulator } from "../../support/use-emulator";
import { type CallOptions, type Reply, at, call, textAt } from "../call";
import { HashicorpClient, addEntries, assertRefused, dnOf, numbered, settings, users } from "./client";

describe("the emulator's secrets service", () => {
  const emulator = useEmulator();

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "secrets", method, `/v1${path}`, options);
  const aliases = "/identity/entity-alias/id";
  const methods = "/identity/mfa/method/totp";
  const body = { issuer: "acme" };

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
      const paths = { "identity/": "read", "identity/mfa/": "full" } as const;
      const token = emulator.secrets.addToken({ access: "none", paths });
      for (const [method, path, status] of [
        ["POST", methods, 200],
        ["GET", `${aliases}?list=true`, 200],
        ["DELETE", `${aliases}/x`, 403],
        ["GET", "/sys/mfa/method/pushauth/x", 403],
        ["DELETE", "/identity%2Fmfa/method/totp/x", 404],
      ] as const) {
        const options = { token, ...(method === "POST" ? { body } : {}) };
        assert.equal((await ask(method, path, options)).status, status, path);
      }
    });
  });

  it("knows its paths, their operations and its query", async () => {
    for (const path of [
      "/identity/nothing",
      "/sys/mfa/method/duo/x",
      "/ldap",
      "/ldap/",
      "/identity/entity-alias/id/",
      "/identity//entity-alias/id",
      "/identity/entity-alias/id/%E0%A4%A",
    ]) {
      assertRefused(await ask("GET", path), 404, numbered("unsupported path"));
    }
    for (const path of ["/", "/v1", "/v2/identity/entity-alias/id"]) {
      assertRefused(await call(emulator, "secrets", "GET", path), 404, /no handler for route/);
    }
    const unsupported = numbered("unsupported operation");
    for (const [method, path] of [
      ["GET", aliases],
      ["DELETE", aliases],
      ["PATCH", methods],
      ["GET", `${methods}/x?list=true`],
      ["GET", `${methods}?list=false`],
    ] as const) {
      assertRefused(await ask(method, path), 405, unsupported);
    }
    assert.equal((await ask("PUT", methods, { body })).status, 200);
    assertRefused(await ask("GET", `${methods}?list=yes`), 400, /list is true or false/);
    assertRefused(await ask("GET", `${methods}?list=true&after=x`), 400, /"after"/);
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
    const left = [
      entityAliases.map((alias) => alias.canonicalId),
      totpSecrets.map(({ entityId }) => entityId),
    ];
    assert.deepEqual([entities, ...left], [[kept], [kept.id], [kept.id]]);
    assert.throws(() => emulator.secrets.removeEntity(gone.id), /no entity/);
  });

  it("adds, replaces and removes password policies", () => {
    emulator.secrets.addPasswordPolicy({ name: "short", length: 8, characters: "ab" });
    const replaced = emulator.secrets.addPasswordPolicy({ name: "short" });
    assert.equal(replaced.length, 20);
    assert.deepEqual(state().passwordPolicies, [replaced]);
    assert.throws(() => emulator.secrets.addPasswordPolicy({ name: "x", length: 0 }), RangeError);
    emulator.secrets.removePasswordPolicy("short");
    assert.throws(() => emulator.secrets.removePasswordPolicy("short"), /no password policy "short"/);
  });
});

describe("the attributes of a body", () => {
  const bodyOf = (values: Readonly<Record<string, unknown>>, isHashicorp = false): Body =>
    Body.parse(JSON.stringify(values), { known: Object.keys(values), isHashicorp });
  const assertBadRequest = (action: () => unknown, message: RegExp): void => {
    assert.throws(
      action,
      (error) => error instanceof Refusal && error.status === 400 && message.test(error.message),
    );
  };

  for (const [reader, values] of [
    [
      "text",
      [
        ["x", "x"],
        ["", ""],
      ],
    ],
    ["boolean", [[false, false]]],
    ["integer", [[-3, -3]]],
    [
      "duration",
      [
        [0, 0],
        ["3600", 3_600],
        [" 5s ", 5],
        ["1h30m", 5_400],
        ["1.1h", 3_960],
        ["1500ms", 1],
      ],
    ],
    [
      "list",
      [
        ["a, b,,c ", ["a", "b", "c"]],
        ["", []],
        [
          [" a ", "b"],
          ["a", "b"],
        ],
      ],
    ],
    [
      "map",
      [
        [{ a: "b" }, { a: "b" }],
        [{}, {}],
      ],
    ],
  ] as const) {
    it(`are read as ${reader}`, () => {
      for (const [value, expected] of values) {
        const body = bodyOf({ field: value });
        assert.deepEqual(body[reader]("field"), expected);
        assert.equal(body[reader]("other"), undefined);
      }
    });
  }

  for (const [reader, values] of [
    ["text", [1, ["x"], null]],
    ["boolean", ["true", 1, null]],
    ["integer", ["1", 1.5, 1e300, null]],
    ["duration", [-1, "-1s", 1.5, "1.5", "", "soon", "1w", "9".repeat(20), true, [], null]],
    ["list", [5, ["a", 5], { a: "b" }, null]],
    ["map", ["a=b", ["a"], { a: 1 }, null]],
  ] as const) {
    it(`are refused as ${reader}`, () => {
      const message = /^Field validation failed: error converting input for field "field": expected /;
      for (const value of values) {
        assertBadRequest(() => bodyOf({ field: value })[reader]("field"), message);
      }
    });
  }

  it("can be required, and are not empty then", () => {
    assert.equal(bodyOf({ a: "x" }).requiredText("a"), "x");
    assertBadRequest(() => bodyOf({ a: "" }).requiredText("a"), /^missing a$/);
    assert.equal(bodyOf({ a: "" }, true).duration("a"), 0);
  });

  it("may have names that objects have anyway", () => {
    assert.equal(bodyOf({}).has("constructor"), false);
    const parse = (text: string) => () => Body.parse(text, { known: [], isHashicorp: false });
    assertBadRequest(parse('{"constructor": 1}'), /\[constructor\]/);
    assertBadRequest(parse('{"__proto__": 1}'), /\[__proto__\]/);
  });
});

describe("the table of mounts", () => {
  let mounts: Mounts;
  beforeEach(() => {
    mounts = new Mounts(false);
  });

  it("calls the engines as the dialect does, and accepts both names for them", () => {
    mounts = new Mounts(true);
    mounts.add({ type: "directory", path: "corp" });
    mounts.add({ type: "nomad", path: "jobs" });
    const login = mounts.add({ type: "ldap", path: "auth/ldap" });
    assert.deepEqual(
      mounts.all().map((mount) => `${mounts.shownPathOf(mount)} ${mount.type}`),
      [
        "ldap/ ldap",
        "nomad/ nomad",
        "auth/userpass/ userpass",
        "corp/ ldap",
        "jobs/ nomad",
        "auth/ldap/ ldap",
      ],
    );
    assert.match(login.accessor, /^auth_ldap_/);
    assert.equal(mounts.known("scheduler").accessor, "nomad_00000001");
    assert.throws(() => mounts.known("scheduler", "scheduler"), /no scheduler engine at "scheduler"/);
  });

  it("refuses what is taken, and what is no path", () => {
    for (const [type, path, message, accessor] of [
      ["scheduler", "ldap", /mounted at "ldap" already/],
      ["approle", "auth/userpass", /mounted at "userpass" already/],
      ["oidc", "x", /accessor/, "auth_userpass_00000001"],
      ["directory", "/", /no path/],
      ["directory", "a/../b", /no path/],
      ["directory", "identity/x", /for itself/],
    ] as const) {
      assert.throws(() => mounts.add({ type, path, ...(accessor && { accessor }) }), message);
    }
    assert.equal(mounts.all().length, 3);
  });

  it("finds the longest path that a request begins with, segment by segment", () => {
    mounts.add({ type: "directory", path: "corp/ldap" });
    mounts.add({ type: "scheduler", path: "corp/ldap/role" });
    mounts.add({ type: "directory", path: "größe" });
    for (const [path, ...expected] of [
      ["corp/ldap/config", "corp/ldap", "/config"],
      ["corp/ldap/role/x", "corp/ldap/role", "/x"],
      ["corp/ldap/roles/x", "corp/ldap", "/roles/x"],
      ["gr%C3%B6%C3%9Fe/role/a%2Fb", "größe", "/role/a%2Fb"],
      ["ldap", "ldap", "/"],
    ] as const) {
      const found = mounts.find(path.split("/"));
      assert.deepEqual([found?.mount.path, found?.rest], expected, path);
    }
    for (const path of ["corp", "corp%2Fldap/config", "ldapx/config", "auth/userpass/x", "%E0%A4%A/x"]) {
      assert.equal(mounts.find(path.split("/")), undefined, path);
    }
  });

  it("keeps a state for each mount, which starts again with a new mount", () => {
    const states = new MountStates(mounts, "directory", (): string[] => []);
    const one = mounts.add({ type: "directory", path: "one" });
    states.of(one).push("changed");
    states.at().push("usual");
    assert.equal(states.at("one"), states.of(one));
    assert.deepEqual(
      states.inspect((state) => state.map((text) => ({ text }))),
      [
        { mount: "ldap", text: "usual" },
        { mount: "one", text: "changed" },
      ],
    );
    mounts.remove("one");
    assert.deepEqual(states.of(mounts.add({ type: "directory", path: "one" })), []);
  });
});

describe("leases", () => {
  const mount = new Mounts(false).add({ type: "directory", path: "corp/ldap" });
  let clock: EmulatorClock;
  let leases: Leases;
  let ended: string[];
  beforeEach(() => {
    clock = new EmulatorClock(0);
    leases = new Leases(clock);
    ended = [];
  });
  const issue = (path: string, duration: number, more: { maxDuration?: number } = {}): LeaseRecord =>
    leases.issue({ mount, path, duration, ended: () => ended.push(path), ...more });

  it("are named by mount and path, and never alike", () => {
    const [one, two] = [issue("creds/web", 60), issue("creds/web", 60)];
    assert.match(one.id, /^corp\/ldap\/creds\/web\/[A-Za-z0-9]{24}$/);
    assert.notEqual(one.id, two.id);
    assert.deepEqual(leases.all(), [one, two]);
  });

  it("last longer when they are renewed, counted from then on", () => {
    const { id } = issue("a", 60);
    clock.advance(50_000);
    const renewed = leases.renew(id, 0);
    assert.deepEqual([renewed?.duration, renewed?.expiresAt], [60, "1970-01-01T00:01:50.000Z"]);
    assert.equal(leases.renew(id, 20)?.duration, 20);
    clock.advance(19_999);
    assert.deepEqual(ended, []);
    clock.advance(1);
    assert.deepEqual(ended, ["a"]);
    assert.equal(leases.renew(id, 0), undefined);
  });

  it("last no longer than their terms or their mount allow, whatever is asked for", () => {
    const { id } = issue("a", 60, { maxDuration: 90 });
    clock.advance(45_000);
    assert.equal(leases.renew(id, 1_000)?.duration, 45);
    assert.equal(leases.renew(issue("b", 60).id, 1e9)?.duration, 768 * 3_600);
    const endless = issue("c", 0);
    assert.deepEqual(leases.renew(endless.id, 5), endless);
  });
});

describe("the emulated secrets service's own endpoints", () => {
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

  const checkOut = async (): Promise<string> => {
    await client.done("POST", "ldap/library/team", {
      service_account_names: "svc1",
      ttl: "1h",
      max_ttl: "2h",
    });
    return textAt(await client.envelope("POST", "ldap/library/team/check-out", {}), "lease_id");
  };
  const issuers: readonly (readonly [string, () => Promise<string>, () => boolean])[] = [
    [
      "account",
      async () => {
        await client.done("POST", "ldap/role/web", {
          creation_ldif: `dn: cn={{.Username}},${users}\nobjectClass: person\ncn: {{.Username}}\n`,
          deletion_ldif: `dn: cn={{.Username}},${users}\nchangetype: delete\n`,
          username_template: "issued",
          default_ttl: "1h",
          max_ttl: "2h",
        });
        return textAt(await client.envelope("GET", "ldap/creds/web"), "lease_id");
      },
      () => state().directoryEntries.some(({ dn }) => dn === dnOf("issued")),
    ],
    [
      "check-out",
      checkOut,
      () => state().directoryLibraryAccounts.some((account) => account.checkOut !== null),
    ],
    [
      "scheduler token",
      async () => {
        emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
        emulator.secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
        return textAt(await client.envelope("GET", "nomad/creds/ops"), "lease_id");
      },
      () => emulator.inspect().scheduler.aclTokens.length > 0,
    ],
  ];

  for (const [what, issue, exists] of issuers) {
    it(`end leases at once, and with them the ${what}`, async () => {
      const id = await issue();
      assert.ok(exists());
      const reply = await client.send("PUT", "sys/leases/revoke", { lease_id: id });
      assert.deepEqual([reply.status, reply.body], [202, ""]);
      assert.deepEqual([exists(), state().leases], [false, []]);
    });

    it(`renew leases, up to a limit: ${what}`, async () => {
      const lease_id = await issue();
      const renew = async (increment: unknown): Promise<unknown> => {
        const envelope = await client.envelope("POST", "sys/leases/renew", { lease_id, increment });
        assert.deepEqual([at(envelope, "lease_id"), at(envelope, "data")], [lease_id, null]);
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

  it("take the id of a lease in the path, too", async () => {
    const id = await checkOut();
    const reply = await client.send("PUT", `sys/leases/revoke/${encodeURIComponent(id)}`, {});
    assert.deepEqual([reply.status, state().leases], [202, []]);
  });

  it("tell when leases end, and when they were renewed", async () => {
    const lease_id = await checkOut();
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
    const renewed = { expire_time: "2026-01-01T01:10:00.000Z", last_renewal: "2026-01-01T00:10:00.000Z" };
    assert.deepEqual(await lookUp(), { ...data, ...renewed, ttl: 3_600 });
    const [account] = state().directoryLibraryAccounts;
    assert.equal(account?.checkOut?.expiresAt, renewed.expire_time);
  });

  it("refuse leases that are unknown, or not named", async () => {
    const lease_id = "ldap/creds/web/none";
    assert.throws(() => emulator.secrets.revokeLease(lease_id), /no lease "ldap\/creds\/web\/none"/);
    assert.equal((await client.send("POST", "sys/leases/revoke", { lease_id })).status, 202);
    await client.done("POST", "sys/leases/revoke", { lease_id, sync: true });
    assertRefused(await client.send("POST", "sys/leases/renew", { lease_id }), 400, "lease not found");
    assertRefused(await client.send("POST", "sys/leases/lookup", { lease_id }), 400, "invalid lease");
    assertRefused(await client.send("POST", "sys/leases/lookup", {}), 400, "lease_id must be specified");
  });

  it("let every token look itself up, and no more", async () => {
    const token = emulator.secrets.addToken({ access: "none", policies: ["readers"] });
    const reader = new HashicorpClient(emulator, token);
    const data = await reader.data("GET", "auth/token/lookup-self");
    assert.deepEqual([at(data, "id"), at(data, "policies")], [token, ["readers"]]);
    assertRefused(await reader.send("DELETE", "auth/token/lookup-self"), 403, "permission denied");
    assertRefused(await reader.send("GET", "ldap/config"), 403, "permission denied");
  });
});
