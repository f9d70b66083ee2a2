import assert from "node:assert/strict";
import type { Emulator, ServiceName } from "pulumi-trivium/testing";
import { useEmulator } from "../support/use-emulator";
import { ProgramDirectory } from "./support/program-directory";
import { type Receiver, startReceiver } from "./support/receiver";

const node = { ID: "9b1d2e3f-0000-4000-8000-000000000001", Name: "worker-1", Datacenter: "dc1" };
const bindPassword = "bind-password-1d";

/** Configuration of a stack. */
interface Configuration {
  readonly plain?: Readonly<Record<string, string>>;
  readonly secret?: Readonly<Record<string, string>>;
}

/** What an example is given, and what it leaves in the services. */
interface Example {
  readonly directory: string;
  /** The services that it needs. */
  readonly services: readonly ServiceName[];
  /** What has to be there; returns the configuration that names it, in clear and encrypted. */
  readonly prepare: (emulator: Emulator, receiver: Receiver) => Configuration;
  /** What the program manages, as it is in the services now. */
  readonly managed: (emulator: Emulator) => readonly unknown[];
}

const examples: readonly Example[] = [
  {
    directory: "quickstart",
    services: ["provisioning"],
    prepare({ provisioning }, receiver) {
      provisioning.addOrganization({ name: "acme" });
      const { id } = provisioning.addWorkspace({ organization: "acme" });
      return {
        plain: { workspaceId: id },
        secret: { receiverUrl: receiver.address, signingKey: "signing-key-7c" },
      };
    },
    managed(emulator) {
      const { projects, notificationConfigurations } = emulator.inspect().provisioning;
      return [...projects.filter(({ isDefault }) => !isDefault), ...notificationConfigurations];
    },
  },
  {
    directory: "directory",
    services: ["secrets"],
    prepare({ secrets }) {
      secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: bindPassword });
      for (const name of ["svc-payments", "svc-report-1", "svc-report-2"]) {
        secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=example,dc=org` });
      }
      return { secret: { bindPassword } };
    },
    managed(emulator) {
      const { secrets } = emulator.inspect();
      return [
        ...secrets.directoryConfigs,
        ...secrets.directoryStaticRoles,
        ...secrets.directoryDynamicRoles,
        ...secrets.directoryLibrarySets,
        ...secrets.directoryLibraryAccounts.filter(({ checkOut }) => checkOut !== null),
      ];
    },
  },
  {
    directory: "identity-mfa",
    services: ["secrets"],
    prepare: ({ secrets }) => ({
      plain: {
        entityId: secrets.addEntity({ name: "alice" }).id,
        mountAccessor: "auth_userpass_00000001",
      },
      secret: { secretKey: "secret-key-6e", integrationKey: "integration-key-7f" },
    }),
    managed(emulator) {
      const { entityAliases, totpMethods, totpSecrets, pushMethods } = emulator.inspect().secrets;
      return [...entityAliases, ...totpMethods, ...totpSecrets, ...pushMethods];
    },
  },
  {
    directory: "scheduler",
    services: ["secrets", "scheduler"],
    prepare({ scheduler, events }) {
      scheduler.addPolicy({ name: "node-read", readNodes: true });
      events.emit({ topic: "Node", type: "NodeRegistration", key: node.ID, payload: { Node: node } });
      return { plain: { schedulerAddress: scheduler.address }, secret: { managementToken: scheduler.token } };
    },
    managed(emulator) {
      const { schedulerRoles, schedulerLeases } = emulator.inspect().secrets;
      return [...schedulerRoles, ...schedulerLeases];
    },
  },
];

describe("the examples, as they are, with services in the hashicorp dialect", function () {
  this.timeout(300_000);

  const emulator = useEmulator({
    dialect: "hashicorp",
    secrets: { schedulerAccess: "checked" },
  });
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.close();
  });

  for (const { directory, services, prepare, managed } of examples) {
    it(`${directory} is made, stays as it is, and is deleted`, async () => {
      const { plain = {}, secret = {} } = prepare(emulator, receiver);
      const dialects = services.map((service) => [`trivium:${service}Dialect`, "hashicorp"] as const);
      const example = await ProgramDirectory.ofExample(directory, {
        ...asProductsAreNamed(emulator.environment),
        // The run in the documented dialect checks them.
        PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      });
      try {
        await example.run(
          "config",
          "set-all",
          ...[...Object.entries(plain), ...dialects].flatMap(([key, value]) => [
            "--plaintext",
            `${key}=${value}`,
          ]),
          ...Object.entries(secret).flatMap(([key, value]) => ["--secret", `${key}=${value}`]),
        );
        await example.run("up", "--yes", "--skip-preview");
        assert.ok(managed(emulator).length > 1);
        await example.run("preview", "--refresh", "--expect-no-changes");
        await example.run("destroy", "--yes", "--skip-preview");
        assert.deepEqual(managed(emulator), []);
        assert.doesNotMatch(JSON.stringify(emulator.journal.requests()), documentedWords);
      } finally {
        example.remove();
      }
    });
  }

  it("are signed for as the products do", () => {
    assert.ok(receiver.requests.length > 0);
    assert.ok(receiver.requests.every(({ headers }) => "x-tfe-notification-signature" in headers));
  });
});

/** What only the documented services understand. */
const documentedWords =
  /x-secrets-|pushauth|"open"|"notification-configuration"|NodeEvent|\/v1\/scheduler\//i;

/** The environment of somebody who uses the products: their own variables, and none of this library's. */
function asProductsAreNamed(environment: Readonly<Record<string, string>>): Record<string, string> {
  const products = new Map([
    ["PROVISIONING_ADDR", "TFE_ADDRESS"],
    ["PROVISIONING_TOKEN", "TFE_TOKEN"],
  ]);
  return Object.fromEntries(
    Object.entries(environment)
      .filter(([name]) => !name.endsWith("_DIALECT"))
      .map(([name, value]) => [
        products.get(name) ?? name.replace("SECRETS_", "VAULT_").replace("SCHEDULER_", "NOMAD_"),
        value,
      ]),
  );
}
