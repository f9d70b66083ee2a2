import assert from "node:assert/strict";
import type { Emulator, ServiceName } from "pulumi-trivium/testing";
import { allDialects, type Dialect } from "../cases/support/case";
import { assertCodesAreRight } from "../secrets/mfa/one-time-codes";
import { leftIn } from "../support/left-in";
import { textsIn } from "../support/texts";
import { useEmulator } from "../support/use-emulator";
import { readBarcode } from "../testing/secrets/mfa/read-barcode";
import { until } from "./support/processes";
import { configSet, ProgramDirectory } from "./support/program-directory";
import { type Receiver, useReceiver } from "./support/receiver";

const node = { ID: "9b1d2e3f-0000-4000-8000-000000000001", Name: "worker-1", Datacenter: "dc1" };
const bindPassword = "canary-bind-password-77ce";
const managementToken = "canary-management-token-51c0";
const accounts = ["svc-payments", "svc-report-1", "svc-report-2"];

/** A copy of an example with its stack. */
interface Run {
  readonly emulator: Emulator;
  readonly pulumi: (...command: readonly string[]) => Promise<string>;
  readonly up: () => Promise<string>;
  readonly outputOf: (name: string) => Promise<string>;
  /** They must not be shown anywhere. */
  readonly secrets: Set<string>;
}

type Values = Readonly<Record<string, string>>;

interface Example {
  readonly directory: string;
  /** The services that it needs. */
  readonly services: readonly ServiceName[];
  /** What has to be there; returns the configuration that names it, in plain text and encrypted. */
  readonly prepare: (
    emulator: Emulator,
    receiver: Receiver,
    dialect: Dialect,
  ) => { readonly plain?: Values; readonly secret?: Values };
  /** What is special to it, in the documented dialect, from the first update on. */
  readonly story?: (run: Run) => Promise<void>;
  /** @param text of the destruction */
  readonly ends?: (run: Run, text: string, dialect: Dialect) => void;
  /** What the destruction leaves in the services, or has changed there, as numbers of objects. */
  readonly left?: (dialect: Dialect) => Readonly<Record<string, number>>;
}

const tokensOf = (emulator: Emulator) => emulator.inspect().scheduler.aclTokens;
const lent = (emulator: Emulator): readonly string[] => {
  const { directoryLibraryAccounts } = emulator.inspect().secrets;
  return directoryLibraryAccounts.flatMap(({ name, checkOut }) => (checkOut === null ? [] : [name]));
};
/** The password of an entry of the directory, which is a secret from now on. */
const passwordOf = ({ emulator, secrets }: Run, name: string): string => {
  const { directoryEntries } = emulator.inspect().secrets;
  const entry = directoryEntries.find(({ dn }) => dn.startsWith(`cn=${name},`));
  const password = entry?.password ?? assert.fail(`${name} has no password`);
  secrets.add(password);
  return password;
};
const registerNode = ({ events }: Emulator): number =>
  events.emit({ topic: "Node", type: "NodeRegistration", key: node.ID, payload: { Node: node } });

const examples: readonly Example[] = [
  {
    directory: "quickstart",
    services: ["provisioning"],
    prepare({ provisioning }, receiver) {
      provisioning.addOrganization({ name: "acme" });
      const workspaceId = provisioning.addWorkspace({ organization: "acme" }).id;
      const secret = { receiverUrl: receiver.address, signingKey: "canary-signing-key-7c" };
      return { plain: { workspaceId }, secret };
    },
  },
  {
    directory: "directory",
    services: ["secrets"],
    prepare({ secrets }) {
      secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: bindPassword });
      for (const name of accounts) {
        secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=example,dc=org` });
      }
      return { secret: { bindPassword } };
    },
    // The bind password is rotated before anything is done with it, and never sent again.
    async story(run) {
      const { journal } = run.emulator;
      await run.up();
      assert.notEqual(passwordOf(run, "admin"), bindPassword);
      const writes = journal.requests({ method: "POST" }).map(({ path }) => path);
      assert.deepEqual(writes.slice(0, 2), ["/v1/ldap/config", "/v1/ldap/rotate-root"]);
      await run.pulumi("config", "set", "directoryUrl", "ldaps://other.example.org");
      await run.up();
      const [first, second] = journal.requests({ path: "/v1/ldap/config", method: "POST" });
      assert.ok("bindpass" in (first?.body as object) && !("bindpass" in (second?.body as object)));
      assert.equal(await run.outputOf("paymentsPassword"), passwordOf(run, "svc-payments"));
      const account = await run.outputOf("reportAccount");
      assert.deepEqual(lent(run.emulator), [account]);
      assert.deepEqual(JSON.parse(await run.outputOf("reportEnvironment")), {
        LDAP_URL: "ldaps://other.example.org",
        LDAP_USER: account,
        LDAP_PASSWORD: passwordOf(run, account),
      });
      journal.clear();
      await run.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
      await run.pulumi("preview", "--expect-no-changes");
      assert.equal(journal.count({ method: "POST" }), 0);
      assert.deepEqual(lent(run.emulator), [account]);
    },
    ends(run) {
      ["admin", ...accounts].forEach((name) => passwordOf(run, name));
    },
    // Their passwords were rotated.
    left: () => ({ "secrets.directoryEntries": 1 + accounts.length }),
  },
  {
    directory: "identity-mfa",
    services: ["secrets"],
    prepare: ({ secrets }) => ({
      plain: { entityId: secrets.addEntity({ name: "alice" }).id, mountAccessor: "auth_userpass_00000001" },
      secret: { secretKey: "canary-secret-key-6e", integrationKey: "canary-integration-key-7f" },
    }),
    async story(run) {
      const secrets = () => run.emulator.inspect().secrets;
      const enrolled: string[] = [];
      /** An app reads the QR code that the program shows to those who ask for it. */
      const assertEnrolled = async (): Promise<void> => {
        const code = await run.outputOf("qrCode");
        const [, barcode = ""] = /^data:image\/png;base64,(\S+)$/m.exec(code) ?? assert.fail("no image");
        const url = readBarcode(barcode).text ?? assert.fail("no code in the image");
        const secret = new URL(url).searchParams.get("secret") ?? "";
        enrolled.push(secret, barcode);
        assertCodesAreRight({ url, secret }, secrets().totpSecrets[0]);
        assert.equal(secrets().totpSecrets.length, 1);
      };
      assert.match(await run.up(), /qrCode\s*: \[secret\]/);
      const { entityAliases, totpMethods, pushMethods } = secrets();
      assert.deepEqual(
        [entityAliases[0]?.name, totpMethods[0]?.issuer, pushMethods[0]?.secretKey],
        ["alice", "Acme", "canary-secret-key-6e"],
      );
      await assertEnrolled();
      assert.match(await run.up(), /5 unchanged/);
      await assertEnrolled();
      await run.pulumi("config", "set", "enrollment", "second");
      await run.up();
      await assertEnrolled();
      assert.equal(new Set(enrolled).size, 4);
      enrolled.forEach((each) => run.secrets.add(each));
    },
  },
  {
    directory: "scheduler",
    services: ["secrets", "scheduler"],
    prepare(emulator, _receiver, dialect) {
      const { scheduler } = emulator;
      scheduler.addPolicy({ name: "node-read", readNodes: true });
      if (dialect === "hashicorp") {
        registerNode(emulator);
      }
      return { plain: { schedulerAddress: scheduler.address }, secret: { managementToken } };
    },
    // It waits for a node with the token that it has had issued, and only then goes on.
    async story(run) {
      const { emulator } = run;
      const running = run.up();
      const waiting = until(() => emulator.inspect().scheduler.subscriptions.length === 1);
      await Promise.race([waiting, running.then((text) => assert.fail(`it did not wait: ${text}`))]);
      const policies = () => tokensOf(run.emulator).map((token) => token.policies);
      assert.deepEqual(policies(), [["node-read"]]);
      registerNode(emulator);
      await running;
      assert.equal(await run.outputOf("nodeId"), node.ID);
      assert.equal(await run.outputOf("deployToken"), tokensOf(run.emulator).at(-1)?.secretId);
      assert.match(await run.up(), /unchanged/);
      assert.deepEqual(policies(), [["node-read"], ["job-submit", "node-read"]]);
    },
    ends(run, text, dialect) {
      const isKept = dialect === "documented";
      const stays = "The access configuration of the scheduler engine at scheduler stays";
      assert.equal(text.replace(/\s+/g, " ").includes(stays), isKept, text);
      tokensOf(run.emulator).forEach(({ secretId }) => run.secrets.add(secretId));
    },
    // Documented services can neither revoke leases nor delete the access; frames are the history of events.
    left: (dialect): Readonly<Record<string, number>> =>
      dialect === "documented"
        ? {
            "scheduler.aclTokens": 2,
            "scheduler.frames": 3,
            "secrets.leases": 2,
            "secrets.schedulerAccess": 1,
          }
        : { "scheduler.frames": 4 },
  },
];

for (const dialect of allDialects) {
  describe(`the examples, as they are, with services in the ${dialect} dialect`, function () {
    this.timeout(600_000);

    const tokens = { scheduler: managementToken };
    const emulator = useEmulator({ dialect, tokens, secrets: { schedulerAccess: "checked" } });
    const receiver = useReceiver();
    let directory: ProgramDirectory;
    afterEach(() => directory.remove());

    for (const example of examples.filter(({ story }) => dialect === "hashicorp" || story !== undefined)) {
      it(`${example.directory} is created, does not change, is deleted, and shows no secrets`, async () => {
        const { plain = {}, secret = {} } = example.prepare(emulator, receiver, dialect);
        const prepared = emulator.inspect();
        directory = ProgramDirectory.ofExample(example.directory, environmentOf(emulator, dialect));
        const tokens = example.services.map((service) => emulator[service].token);
        const secrets = new Set([...Object.values(secret), ...tokens]);
        const pulumi = (...command: readonly string[]) => directory.succeed(command);
        const up = () => pulumi("up", "--yes", "--skip-preview");
        const run = { emulator, pulumi, up, outputOf: (name: string) => directory.outputOf(name), secrets };
        await pulumi("stack", "init", "test");
        if (dialect === "documented") {
          await pulumi(...configSet(plain, secret));
          await pulumi("preview");
          assert.equal(emulator.journal.count(), 0);
          await example.story?.(run);
        } else {
          const dialects = example.services.map((service) => [`trivium:${service}Dialect`, dialect] as const);
          await pulumi(...configSet({ ...plain, ...Object.fromEntries(dialects) }, secret));
          await up();
        }
        await pulumi("preview", "--refresh", "--expect-no-changes");
        const text = await pulumi("destroy", "--yes", "--skip-preview");
        assert.deepEqual(leftIn(prepared, emulator.inspect()), example.left?.(dialect) ?? {});
        example.ends?.(run, text, dialect);
        if (dialect === "hashicorp") {
          assert.doesNotMatch(JSON.stringify(emulator.journal.requests()), documentedWords);
        }
        const everywhere = directory.output + (await textsIn(directory.path));
        secrets.forEach((each) => assert.ok(!everywhere.includes(each), "a secret was shown"));
      });
    }

    if (dialect === "hashicorp") {
      it("notifications of the examples are signed as by the products", () => {
        assert.ok(receiver.requests.length > 0);
        assert.ok(receiver.requests.every(({ headers }) => "x-tfe-notification-signature" in headers));
      });
    }
  });
}

/** What only the documented services understand. */
const documentedWords =
  /x-secrets-|pushauth|"open"|"notification-configuration"|NodeEvent|\/v1\/scheduler\//i;

/** With the products, that of somebody who uses them: their own variables, and none of this library's. */
function environmentOf({ environment }: Emulator, dialect: Dialect): Record<string, string> {
  const of = (name: string): string => environment[name] ?? assert.fail(name);
  return dialect === "documented"
    ? { SECRETS_ADDR: of("SECRETS_ADDR"), SECRETS_TOKEN: of("SECRETS_TOKEN") }
    : {
        TFE_ADDRESS: of("PROVISIONING_ADDR"),
        TFE_TOKEN: of("PROVISIONING_TOKEN"),
        VAULT_ADDR: of("SECRETS_ADDR"),
        VAULT_TOKEN: of("SECRETS_TOKEN"),
        NOMAD_ADDR: of("SCHEDULER_ADDR"),
        NOMAD_TOKEN: of("SCHEDULER_TOKEN"),
      };
}
