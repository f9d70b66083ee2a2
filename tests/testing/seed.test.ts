import assert from "node:assert/strict";
import { type Emulator, type EmulatorSeed, startEmulator } from "../../sdk/testing";

describe("a seed", () => {
  let emulator: Emulator | undefined;
  const start = async (seed: unknown): Promise<Emulator> => {
    emulator = await startEmulator({ seed: seed as EmulatorSeed });
    return emulator;
  };
  afterEach(async () => {
    await emulator?.close();
    emulator = undefined;
  });

  const world: EmulatorSeed = {
    organizations: [
      { name: "acme", defaultProjectId: "prj-default", ownerIds: ["ada", "user-bob"], workspaceLimit: null },
      { name: "platform", moduleConsumers: ["acme", "search"] },
      { name: "search" },
    ],
    users: [{ username: "ada", organization: ["acme", "search"] }, { id: "user-bob" }],
    projects: [{ id: "prj-payments", organization: "acme", name: "payments" }],
    workspaces: [
      { id: "ws-web", organization: "acme", name: "web" },
      { id: "ws-api", organization: "acme", project: "payments", name: "api" },
    ],
    mounts: [
      { type: "directory", path: "teams/ldap", defaultLeaseTtl: "1h" },
      { type: "userpass", path: "people", accessor: "auth_userpass_people" },
    ],
    entities: [{ id: "entity-alice", name: "alice", metadata: { team: "payments" } }],
    totpMethods: [{ id: "method-acme", issuer: "Acme", algorithm: "SHA256" }],
    enforcements: [{ name: "everybody", methodIds: ["method-acme"] }],
    passwordPolicies: [{ name: "long", length: 40 }],
    directoryEntries: [
      {
        dn: "cn=binds,ou=services,dc=acme,dc=example",
        password: "canary",
        attributes: { mail: ["a@b.example"] },
      },
      { dn: "ou=services,dc=acme,dc=example", attributes: { description: "for programs" } },
    ],
    schedulerPolicies: [{ name: "readers", readNodes: true, readJobs: "*" }],
    events: [{ topic: "Node", type: "NodeRegistration", key: "worker-1", payload: { Node: { ID: "n1" } } }],
  };

  it("is what the services hold from the start", async () => {
    const { provisioning, secrets, scheduler } = (await start(world)).inspect();
    assert.deepEqual(
      provisioning.organizations.map(({ name, defaultProjectId, moduleConsumers }) => [
        name,
        defaultProjectId.slice(0, 4),
        moduleConsumers,
      ]),
      [
        ["acme", "prj-", []],
        ["platform", "prj-", ["acme", "search"]],
        ["search", "prj-", []],
      ],
    );
    const [ada, bob] = provisioning.users;
    assert.deepEqual(provisioning.organizations[0]?.ownerIds, [ada?.id, "user-bob"]);
    assert.deepEqual([ada?.organizations, bob?.organizations], [["acme", "search"], ["acme"]]);
    assert.deepEqual(
      provisioning.workspaces.map(({ id, projectId }) => [id, projectId]),
      [
        ["ws-web", "prj-default"],
        ["ws-api", "prj-payments"],
      ],
    );
    assert.deepEqual(
      secrets.mounts
        .slice(-2)
        .map(({ path, accessor, defaultLeaseTtl }) => [path, accessor.slice(0, 9), defaultLeaseTtl]),
      [
        ["teams/ldap", "directory", 3_600],
        ["people", "auth_user", 768 * 3_600],
      ],
    );
    assert.deepEqual(secrets.entities, [
      { id: "entity-alice", name: "alice", metadata: { team: "payments" } },
    ]);
    assert.deepEqual(
      secrets.enforcements.map(({ methodIds }) => methodIds),
      [["method-acme"]],
    );
    assert.equal(secrets.passwordPolicies[0]?.length, 40);
    assert.deepEqual(
      secrets.directoryEntries.map(({ dn, password }) => [dn, password]),
      [
        ["dc=example", null],
        ["dc=acme,dc=example", null],
        ["ou=services,dc=acme,dc=example", null],
        ["cn=binds,ou=services,dc=acme,dc=example", "canary"],
      ],
    );
    assert.deepEqual(
      scheduler.policies.map(({ name }) => name),
      ["readers"],
    );
    assert.deepEqual(
      scheduler.frames.flatMap(({ Index, Events }) => Events.map(({ Type }) => [Index, Type])),
      [
        [1, "ACLPolicyUpserted"],
        [2, "NodeRegistration"],
      ],
    );
  });

  it("is there again after a reset", async () => {
    const started = await start(world);
    const { provisioning } = started;
    provisioning.removeOrganization("acme");
    provisioning.addOrganization({ name: "other" });
    started.reset();
    const { organizations, workspaces } = started.inspect().provisioning;
    assert.deepEqual(
      [organizations, workspaces].map((records) => records.map(({ name }) => name)),
      [
        ["acme", "platform", "search"],
        ["web", "api"],
      ],
    );
  });

  it("may be empty", async () => {
    assert.deepEqual((await start({})).inspect().provisioning.organizations, []);
  });

  const refused: readonly [string, unknown, RegExp][] = [
    [
      "an unknown member",
      { organizations: [{ name: "acme" }, { nmae: "platform", name: "platform" }] },
      /^seed\.organizations\[1\]\.nmae is not a valid member; did you mean name\?$/,
    ],
    [
      "an unknown list",
      { organisations: [] },
      /^seed\.organisations is not a valid member; did you mean organizations\?$/,
    ],
    [
      "a member like no other",
      { users: [{ qqq: 1 }] },
      /^seed\.users\[0\]\.qqq is not a valid member; expected one of id, username, organization$/,
    ],
    [
      "a missing member",
      { workspaces: [{ name: "web" }] },
      /^seed\.workspaces\[0\]\.organization is missing$/,
    ],
    [
      "a wrong type",
      { entities: [{ metadata: { team: 1 } }] },
      /^seed\.entities\[0\]\.metadata\.team must be a string$/,
    ],
    ["no list", { mounts: {} }, /^seed\.mounts must be a list$/],
    ["no object", [], /^seed must be an object$/],
    ["a number", 7, /^seed must be an object$/],
    ["null", null, /^seed must be an object$/],
    [
      "a wrong word",
      { totpMethods: [{ issuer: "a", algorithm: "MD5" }] },
      /algorithm must be "SHA1" or "SHA256" or "SHA512"$/,
    ],
    [
      "a wrong duration",
      { mounts: [{ type: "directory", path: "a", maxLeaseTtl: "soon" }] },
      /maxLeaseTtl must be milliseconds as a number/,
    ],
    [
      "several mistakes at once",
      { users: [{ id: 1 }], entities: "alice" },
      /^The seed is not valid: seed\.users\[0\]\.id must be a string of at least one character; seed\.entities must be a list$/,
    ],
    [
      "an unknown organization",
      { workspaces: [{ organization: "acme" }] },
      /^seed\.workspaces\[0\] cannot be set up: The emulator has no organization "acme"\.$/,
    ],
    [
      "an unknown owner",
      { organizations: [{ name: "acme", ownerIds: ["ada"] }] },
      /^seed\.organizations\[0\] .* no user "ada"\.$/,
    ],
    [
      "an unknown method",
      { enforcements: [{ methodIds: ["m"] }] },
      /^seed\.enforcements\[0\] .* no TOTP method "m"\.$/,
    ],
    [
      "an id given twice",
      {
        organizations: [{ name: "acme" }],
        workspaces: ["web", "api"].map((name) => ({ id: "ws-1", organization: "acme", name })),
      },
      /^seed\.workspaces\[1\] cannot be set up: The emulator already has the workspace "ws-1"\.$/,
    ],
    [
      "one default project for two",
      { organizations: ["acme", "platform"].map((name) => ({ name, defaultProjectId: "prj-1" })) },
      /^seed\.organizations\[1\] .* already has the project "prj-1"\.$/,
    ],
    [
      "an entry twice",
      { directoryEntries: [{ dn: "cn=a" }, { dn: "CN=A" }] },
      /^seed\.directoryEntries\[1\] .*Entry Already Exists/,
    ],
    [
      "a path that is none",
      { mounts: [{ type: "directory", path: "sys/ldap" }] },
      /^seed\.mounts\[0\] .* mount the engine elsewhere\.$/,
    ],
  ];
  for (const [what, seed, message] of refused) {
    it(`is refused for ${what}`, async () => {
      await assert.rejects(start(seed), { message });
    });
  }
});
