import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureClients } from "../../../scripts/go-tools";
import { useEmulator } from "../../support/use-emulator";
import { type Outcome, outcomesIn } from "./outcomes";

type Recorded = Omit<Outcome, "client"> & { readonly service: string };

const file = join(__dirname, "../../fixtures/wire/clients.json");
/** What OpenBao 2.6.2 and Nomad 1.10.5 returned to the same program. */
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Recorded[];

const clients = { "vault/api": "secrets", "openbao/api": "secrets", "nomad/api": "scheduler" } as const;

describe("the products' own clients, at the emulator as at the products", function () {
  this.timeout(600_000);

  const users = "ou=users,dc=example,dc=org";
  const owners = ["vault", "bao"];
  const emulator = useEmulator({
    dialect: "hashicorp",
    resets: false,
    provisioning: { unsentEmailUsers: "cleared" },
    seed: {
      organizations: [{ name: "acme", ownerIds: ["ada"] }, { name: "other" }],
      users: [{ username: "ada", id: "user-ada", organization: "acme" }],
      workspaces: [{ id: "ws-web", organization: "acme" }],
      mounts: [{ type: "approle", path: "approle" }],
      directoryEntries: [
        { dn: "cn=admin,dc=example,dc=org", password: "adminpw" },
        ...owners.flatMap((owner) =>
          ["static", "svc1", "svc2"].map((name) => ({ dn: `cn=${owner}-${name},${users}` })),
        ),
      ],
      logins: owners.flatMap((owner) => {
        const rights = { policies: ["deploy"], access: "none" as const };
        const role = { role_id: `role-${owner}`, secret_id: `secret-${owner}` };
        return [
          { ...rights, path: "userpass", parameters: { username: owner, password: `pw-${owner}` } },
          { ...rights, path: "approle", parameters: role, metadata: { role_name: owner } },
        ];
      }),
    },
  });
  let outcomes: readonly Outcome[];
  before(async function () {
    if (!hasGo()) {
      this.skip();
    }
    const names = { TFE_ORGANIZATION: "acme", TFE_WORKSPACE: "ws-web", TFE_USER: "user-ada" };
    const env = { ...emulator.environment, ...names, LDAP_URL: "ldap://127.0.0.1:3891" };
    const options = { env, maxBuffer: 10_000_000 };
    const { stdout } = await promisify(execFile)(await ensureClients(), options);
    outcomes = outcomesIn(stdout);
  });
  const of = (client: string) => outcomes.filter((outcome) => outcome.client === client);

  for (const [client, service] of Object.entries(clients)) {
    const steps = recorded.filter((each) => each.service === service);
    steps.forEach(({ service: _service, ...expected }, index) => {
      it(`the product's client ${client} gets what the product returned: ${expected.step}`, () => {
        const { client: _client, ...actual } = of(client)[index] ?? assert.fail("There is no such step.");
        assert.deepEqual(actual, expected);
      });
    });
  }

  // No TFE could be asked: the client's own tests say what it returns.
  const sharing = (shared: boolean) => ({ GlobalModuleSharing: shared, GlobalProviderSharing: shared });
  const settings = { AccessBetaTools: true, IsDisabled: false, TerraformWorkerSudoEnabled: true };
  const timeouts = ["TerraformBuildWorkerApplyTimeout", "TerraformBuildWorkerPlanTimeout", "ApplyTimeout"];
  const times = Object.fromEntries([...timeouts, "PlanTimeout"].map((name) => [name, "24h"]));
  for (const [step, result, error] of [
    [
      "the first update of an organization",
      { ...times, ...settings, ...sharing(false), WorkspaceLimit: null },
    ],
    ["the second update of an organization", { ...sharing(true), IsDisabled: true, WorkspaceLimit: 42 }],
    ["the third update of an organization", { ...sharing(false), IsDisabled: false, WorkspaceLimit: 0 }],
    ["update an organization that does not exist", null, "resource not found"],
    ["list organizations with their owners", "ada@example.com"],
    ["a consumer that does not exist", undefined, "unprocessable entity\n\nOrganization 1Hello! not found"],
    ["rename a project", "another name"],
    ["delete a project", undefined],
    ["update an e-mail configuration without its users", 0],
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

function hasGo(): boolean {
  try {
    execFileSync("go", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
