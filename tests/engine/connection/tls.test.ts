import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Provider, type ProviderArgs, provisioning } from "pulumi-trivium";
import type { Emulator, EmulatorTls } from "pulumi-trivium/testing";
import { certificates, type KeyPair } from "../../support/certificates";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

type Settings = Readonly<Record<string, string | { readonly secret: string }>>;

const { authority, otherAuthority, server, otherHost, expired, selfSigned, client } = certificates();
const program = programOf(["payments"]);

describe("TLS with a private authority", function () {
  this.timeout(60_000);

  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const authorityFile = file("authority.pem", authority.certificate);

  const serve = ({ certificate, key }: KeyPair, tls?: Partial<EmulatorTls>): Promise<Emulator> =>
    emulatorWithOrganization({ tls: { certificate, key, ...tls } });
  const withStack = async (
    emulator: Emulator,
    settings: Settings,
    environment: Readonly<Record<string, string>>,
    use: (stack: TestStack) => Promise<void>,
  ): Promise<void> => {
    const stack = await TestStack.create(
      "engine-tls",
      { ...configurationFor(emulator), ...settings },
      environment,
    );
    try {
      await use(stack);
      assert.ok(!stack.output.includes("PRIVATE KEY"));
    } finally {
      stack.remove();
      await emulator.close();
    }
  };

  before(async function () {
    this.timeout(900_000);
    // The first stack of a process may have to build the CLI.
    (await TestStack.create("engine-tls", {})).remove();
  });

  after(() => rmSync(folder, { recursive: true }));

  const accepted: readonly {
    readonly what: string;
    readonly tls?: Partial<EmulatorTls>;
    readonly with?: KeyPair;
    readonly settings?: Settings;
    readonly environment?: Readonly<Record<string, string>>;
  }[] = [
    {
      what: "the authority as PEM",
      settings: { "trivium:provisioningCaCertificate": authority.certificate },
    },
    {
      what: "the authority as a path",
      settings: { "trivium:provisioningCaCertificate": authorityFile },
    },
    { what: "the authority from the environment", environment: { PROVISIONING_CACERT: authorityFile } },
    {
      what: "a certificate for another host, whose name is given",
      with: otherHost,
      settings: {
        "trivium:provisioningCaCertificate": authorityFile,
        "trivium:provisioningServerName": "service.example",
      },
    },
    {
      what: "a client certificate and its key",
      tls: { clientCertificateAuthority: authority.certificate },
      settings: {
        "trivium:provisioningCaCertificate": authorityFile,
        "trivium:provisioningClientCertificate": client.certificate,
        "trivium:provisioningClientKey": { secret: client.key },
      },
    },
  ];

  for (const { what, tls, with: pair = server, settings = {}, environment = {} } of accepted) {
    it(`works with ${what}`, async () => {
      const emulator = await serve(pair, tls);
      await withStack(emulator, settings, environment, async (stack) => {
        await stack.up(program);
        assert.equal(projectsIn(emulator).length, 1);
      });
    });
  }

  const refused: readonly {
    readonly what: string;
    readonly with?: KeyPair;
    readonly tls?: Partial<EmulatorTls>;
    readonly authority?: string;
    readonly says: readonly RegExp[];
  }[] = [
    {
      what: "an authority that did not sign the certificate",
      authority: otherAuthority.certificate,
      says: [
        /unknown authority/,
        /Set caCertificate \(trivium:provisioningCaCertificate, PROVISIONING_CACERT\)/,
      ],
    },
    {
      what: "a certificate for another host",
      with: otherHost,
      says: [
        /is for another host/,
        /service\.example/,
        /serverName \(trivium:provisioningServerName, PROVISIONING_TLS_SERVER_NAME\)/,
      ],
    },
    {
      what: "an expired certificate",
      with: expired,
      says: [/is not valid/, /has expired and must be renewed/],
    },
    {
      what: "no client certificate where the service wants one",
      tls: { clientCertificateAuthority: authority.certificate },
      says: [
        /requires a client certificate/,
        /clientCertificate \(trivium:provisioningClientCertificate, PROVISIONING_CLIENT_CERT\)/,
        /clientKey \(trivium:provisioningClientKey, PROVISIONING_CLIENT_KEY\)/,
      ],
    },
  ];

  for (const { what, with: pair = server, tls, authority: trusted = authorityFile, says } of refused) {
    it(`refuses ${what} and says what to set`, async () => {
      const emulator = await serve(pair, tls);
      const settings = { "trivium:provisioningCaCertificate": trusted };
      await withStack(emulator, settings, {}, async (stack) => {
        const text = await failureOf(stack.up(program));
        says.forEach((expected) => assert.match(text, expected));
        assert.deepEqual(emulator.journal.requests(), []);
      });
    });
  }

  it("sends nothing to an impostor at a provider's own address, whatever the stack says", async () => {
    const home = await serve(server);
    const impostor = await serve(selfSigned);
    const away = (args: ProviderArgs["provisioning"] = {}): Program => {
      return () => {
        const { address, token } = impostor.provisioning;
        const provider = new Provider("away", { provisioning: { address, token, ...args } });
        new provisioning.Project("there", { organization, name: "there" }, { provider });
        return Promise.resolve(undefined);
      };
    };
    const settings = { "trivium:provisioningInsecureSkipVerify": "true" };
    const environment = {
      PROVISIONING_SKIP_VERIFY: "true",
      PROVISIONING_CACERT: file("impostor.pem", selfSigned.certificate),
      TRIVIUM_PROVISIONING_TOKEN: home.provisioning.token,
    };
    await withStack(home, settings, environment, async (stack) => {
      const text = await failureOf(stack.up(away()));
      assert.match(text, /unknown authority/);
      assert.match(text, /Set caCertificate \(in the trivium\.Provider or the call that sets the address\)/);
      assert.deepEqual(impostor.journal.requests(), []);
      await stack.up(away({ caCertificate: selfSigned.certificate }));
      assert.equal(projectsIn(impostor).length, 1);
      assert.equal(impostor.journal.count({ status: 401 }), 0);
      await stack.destroy();
    });
    await impostor.close();
  });
});
