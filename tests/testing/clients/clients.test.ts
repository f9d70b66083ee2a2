import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import createVault from "node-vault";
import { ensureClients } from "../../../scripts/go-tools";
import { useEmulator } from "../../support/use-emulator";
import {
  assertRecorded,
  exchanges,
  file as calls,
  scrubbed as scrubbedExchange,
} from "../secrets/client-paths";

/** One call by a client of a product: what it told its program, and what was sent and returned. */
interface Outcome {
  readonly client?: string;
  readonly service?: string;
  readonly step: string;
  readonly exchanges: readonly { readonly target: string; readonly status: number; readonly body: unknown }[];
  /** Absent after a success. */
  readonly error?: string;
  /** Of clients that no recording is of: what their own tests look at. */
  readonly result?: unknown;
}

const file = join(__dirname, "../../fixtures/wire/clients.json");
/** What OpenBao 2.6.2, Nomad 1.10.5 and Nomad 2.0.5 returned to the same programs. */
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Outcome[];

const random =
  /^(?:SecretID|accessor|client_token|cluster_id|cluster_name|id|lease_id|password|request_id|token|uuid)$/;

/** For `JSON.parse`: without what differs each time, and the names that the two Go clients give their objects. */
function scrubbed(name: string, value: unknown): unknown {
  if (typeof value === "number") {
    const isOwn = /^(?:CreateIndex|ModifyIndex|creation_time|server_time_utc)$/.test(name);
    // Part of a second might have passed.
    return name === "ttl" ? Math.round(value / 10) * 10 : isOwn ? 0 : value;
  }
  if (typeof value === "string") {
    return random.test(name) && value !== "" && value !== "x" ? `<${name}>` : textOf(value);
  }
  if (Array.isArray(value)) {
    return name === "keys" ? (value as unknown[]).toSorted() : (value as unknown[]);
  }
  return value === null || typeof value !== "object"
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, member]) => [textOf(key), member]));
}

function textOf(text: string): string {
  return text
    .replace(
      /(?<!node-)\b(?:vault|bao)(?=-(?:ada|bob|below|ldap|none|people|static|svc|unknown)|\b(?!\/api))/g,
      "own",
    )
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/entity_[0-9a-f]{8}(?:\.root)?/g, "entity_<id>")
    .replace(/_[0-9a-f]{8}$/, "_<id>")
    .replace(/^[A-Za-z0-9]{24}$/, "<lease>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>")
    .replace(/(sys\/health)\?.*/, "$1")
    .replace(/https?:\/\/[\w.]+:\d+/g, "<address>")
    .replace(/^127\.0\.0\.1:\d+$/, "<address>")
    .replace(/^[A-Za-z0-9+/]{43}=$/, "<hash>")
    .replace(/secret=[A-Z2-7]+$/, "secret=<key>");
}

const users = "ou=users,dc=example,dc=org";
const admin = { dn: "cn=admin,dc=example,dc=org", password: "adminpw" };

/** Skips the suite without Go. */
async function outcomesOf(
  suite: Mocha.Context,
  env: NodeJS.ProcessEnv,
  scrub?: (name: string, value: unknown) => unknown,
): Promise<readonly Outcome[]> {
  if (spawnSync("go", ["version"]).status !== 0) {
    suite.skip();
  }
  const { stdout } = await promisify(execFile)(await ensureClients(), { env, maxBuffer: 10_000_000 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line, scrub) as Outcome);
}

/** Agents and namespaces describe more than the emulator has: the results show what clients read of it. */
const isLong = /^\/v1\/(?:agent\/(?:health|members|self)|namespaces)/;

function describeSteps(client: string, service: string, made: () => readonly Outcome[]): void {
  const steps = recorded.filter((each) => each.service === service);
  steps.forEach(({ service: _service, ...expected }, index) => {
    it(`the product's client ${client} receives what the product returned (${service}): ${expected.step}`, () => {
      const { client: _client, ...actual } = made()[index] ?? assert.fail("There is no such step.");
      const exchanges = actual.exchanges.map((each) =>
        isLong.test(each.target) && each.status === 200 ? { ...each, body: null } : each,
      );
      assert.deepEqual({ ...actual, exchanges }, expected);
    });
  });
}

describe("the products' own clients, with the emulator as with the products", function () {
  this.timeout(600_000);

  const owners = ["vault", "bao"];
  const entries = owners.flatMap((owner) => ["static", "svc1", "svc2"].map((name) => `${owner}-${name}`));
  const rights = { policies: ["deploy"], access: "none" } as const;
  const emulator = useEmulator({
    dialect: "hashicorp",
    resets: false,
    provisioning: { unsentEmailUsers: "cleared" },
    seed: {
      organizations: [{ name: "acme", ownerIds: ["ada"] }, { name: "other" }],
      users: [{ username: "ada", id: "user-ada", organization: "acme" }],
      workspaces: [{ id: "ws-web", organization: "acme" }],
      mounts: [{ type: "approle", path: "approle" }],
      directoryEntries: [admin, ...entries.map((name) => ({ dn: `cn=${name},${users}` }))],
      logins: owners.flatMap((owner) => {
        const parameters = { role_id: `role-${owner}`, secret_id: `secret-${owner}` };
        return [
          { ...rights, path: "userpass", parameters: { username: owner, password: `pw-${owner}` } },
          { ...rights, path: "approle", parameters, metadata: { role_name: owner } },
        ];
      }),
    },
  });
  let outcomes: readonly Outcome[];
  before(async function () {
    const names = { TFE_ORGANIZATION: "acme", TFE_WORKSPACE: "ws-web", TFE_USER: "user-ada" };
    const env = { ...emulator.environment, ...names, LDAP_URL: "ldap://127.0.0.1:3891" };
    outcomes = await outcomesOf(this, env, scrubbed);
  });
  const of = (client: string) => outcomes.filter((outcome) => outcome.client === client);

  for (const client of ["vault/api", "openbao/api"]) {
    describeSteps(client, "secrets", () => of(client));
  }

  // No TFE could be asked: the client's own tests say what it returns.
  const sharing = (shared: boolean) => ({ GlobalModuleSharing: shared, GlobalProviderSharing: shared });
  const settings = { AccessBetaTools: true, IsDisabled: false, TerraformWorkerSudoEnabled: true };
  const timeouts = ["TerraformBuildWorkerApplyTimeout", "TerraformBuildWorkerPlanTimeout", "ApplyTimeout"];
  const times = Object.fromEntries([...timeouts, "PlanTimeout"].map((name) => [name, "24h"]));
  const first = { ...times, ...settings, ...sharing(false), WorkspaceLimit: null };
  for (const [step, result, error] of [
    ["the first update of an organization", first],
    ["the second update of an organization", { ...sharing(true), IsDisabled: true, WorkspaceLimit: 42 }],
    ["the third update of an organization", { ...sharing(false), IsDisabled: false, WorkspaceLimit: 0 }],
    ["update an organization that does not exist", null, "resource not found"],
    ["list organizations with their owners", "ada@example.com"],
    ["a consumer that does not exist", undefined, "unprocessable entity\n\nOrganization 1Hello! not found"],
    ["rename a project", "another name"],
    ["delete a project", undefined],
    ["update an email configuration without its users", 0],
    ["update it without options", undefined],
    ["a page out of range", { "current-page": 999, "total-count": 1 }],
    ["a configuration that does not exist", undefined, "resource not found"],
  ] as const) {
    it(`the product's client go-tfe: ${step} is what its own tests expect`, () => {
      const actual = of("go-tfe").find((outcome) => outcome.step === step) ?? assert.fail("no such step");
      assert.equal(actual.error, error);
      const isObject = typeof result === "object" && result !== null;
      assert.deepEqual(isObject ? { ...Object(actual.result), ...result } : result, actual.result);
    });
  }
});

for (const release of ["1.10", "2.0"] as const) {
  describe(`the client of Nomad, at the emulator as at Nomad ${release}`, function () {
    this.timeout(600_000);

    const emulator = useEmulator({ dialect: "hashicorp", resets: false, scheduler: { release } });
    let outcomes: readonly Outcome[];
    before(async function () {
      const { address, token } = emulator.scheduler;
      const env = { ...process.env, SCHEDULER_ADDR: address, SCHEDULER_TOKEN: token };
      outcomes = await outcomesOf(this, env, scrubbed);
    });
    describeSteps("nomad/api", `scheduler ${release}`, () => outcomes);
  });
}

for (const client of ["vault/api", "openbao/api"]) {
  describe(`the paths that the client ${client} requests`, function () {
    this.timeout(600_000);

    const emulator = useEmulator({
      dialect: "hashicorp",
      secrets: { directoryEngine: "openbao" },
      resets: false,
    });
    let outcomes: readonly Outcome[] = [];
    before(async function () {
      emulator.secrets.removeMount("userpass");
      emulator.secrets.removeMount("ldap");
      const env = { ...emulator.environment, SECRETS_CALLS: calls, SECRETS_CLIENT: client };
      outcomes = await outcomesOf(this, env);
    });

    exchanges.forEach((exchange, index) => {
      it(`the client ${client} receives what OpenBao returned, or an error that names the emulator: ${index + 1} ${exchange.request}`, () => {
        const { step, exchanges: made } = outcomes[index] ?? assert.fail("There is no such step.");
        // Without a name, the client cannot make the call.
        if (step !== "") {
          const { status, body } = made.at(-1) ?? assert.fail("Nothing was sent.");
          assertRecorded({ status, body: scrubbedExchange(body) }, exchange);
        }
      });
    });
  });
}

describe("node-vault", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    secrets: { directoryEngine: "openbao" },
    seed: { directoryEntries: [admin] },
  });

  it("node-vault returns the same results with the emulator as with OpenBao 2.6.2", async () => {
    const { address: endpoint, token } = emulator.secrets;
    const at = (use: string) => createVault({ endpoint, token: use });
    const vault = at(token);
    const [own, auth] = ["vault-node", "vault-node-auth"];
    const binding = { binddn: admin.dn, bindpass: admin.password, userdn: users };
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      health: () => vault.health(),
      status: () => vault.status(),
      initialized: () => vault.initialized(),
      mount: () => vault.mount({ mount_point: own, type: "ldap" }),
      enableAuth: () => vault.enableAuth({ mount_point: auth, type: "userpass" }),
      write: () => vault.write(`${own}/config`, { ...binding, url: "ldap://127.0.0.1:3891" }),
      read: () => vault.read(`${own}/config`),
      "list of nothing": () => vault.list(`${own}/library`),
      "read of nothing": () => vault.read(`${own}/static-role/none`),
      "write without data": () => vault.write(`${own}/rotate-role/none`, null),
      // The client goes on with the token that it gets.
      tokenCreate: () => at(token).tokenCreate({ ttl: "1h", policies: ["default"] }),
      "tokenLookupSelf of a wrong token": () => at("wrong").tokenLookupSelf(),
      "unwrap of nothing": () => vault.unwrap({ token: "none" }),
      unmount: () => vault.unmount({ mount_point: own }),
      disableAuth: () => vault.disableAuth({ mount_point: auth }),
    };
    const outcomes: unknown[] = [];
    for (const [step, run] of Object.entries(steps)) {
      const outcome = await run().then(
        (result) => ({ result: result ?? null }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      );
      outcomes.push(JSON.parse(JSON.stringify({ service: "node-vault", step, ...outcome }), scrubbed));
    }
    const expected = recorded.filter(({ service }) => service === "node-vault");
    assert.deepEqual(outcomes, expected);
  });
});
