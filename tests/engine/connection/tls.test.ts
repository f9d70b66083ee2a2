import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Provider, type ProviderArgs, provisioning } from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { certificates } from "../../support/certificates";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { authority, server, otherHost, selfSigned, client } = certificates();

/** Which certificates are accepted, tests/http/tls.test.ts shows. */
describe("TLS with a private authority", function () {
  this.timeout(900_000);

  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const emulators: Emulator[] = [];
  const stacks: TestStack[] = [];
  const serve: typeof emulatorWithOrganization = async (options) => {
    const emulator = await emulatorWithOrganization(options);
    emulators.push(emulator);
    return emulator;
  };
  const create = async (...parameters: Parameters<typeof TestStack.create>): Promise<TestStack> => {
    const stack = await TestStack.create(...parameters);
    stacks.push(stack);
    return stack;
  };

  after(async () => {
    stacks.forEach((stack) => stack.remove());
    await Promise.all(emulators.map((emulator) => emulator.close()));
    rmSync(folder, { recursive: true });
  });

  it("works with files and texts of certificates from the environment and the stack", async () => {
    const file = join(folder, "authority.pem");
    writeFileSync(file, authority.certificate);
    const { certificate, key } = otherHost;
    const emulator = await serve({
      tls: { certificate, key, clientCertificateAuthority: authority.certificate },
    });
    const stack = await create("engine-tls", configurationFor(emulator), { PROVISIONING_CACERT: file });
    await stack.setConfiguration("trivium:provisioningServerName", "service.example");
    assert.match(
      await failureOf(stack.up(programOf(["payments"]))),
      /requires a client certificate.*clientKey \(trivium:provisioningClientKey, PROVISIONING_CLIENT_KEY\)/,
    );
    await stack.setConfiguration("trivium:provisioningClientCertificate", client.certificate);
    await stack.setConfiguration("trivium:provisioningClientKey", client.key, true);
    await stack.up(programOf(["payments"]));
    assert.equal(projectsIn(emulator).length, 1);
    assert.ok(!(stack.output + (await stack.state())).includes("PRIVATE KEY"));
  });

  it("sends nothing to an impostor at a provider's own address, whatever the stack says", async () => {
    const [home, impostor] = [await serve({ tls: server }), await serve({ tls: selfSigned })];
    const away = (args: ProviderArgs["provisioning"] = {}): Program => {
      const { address, token } = impostor.provisioning;
      return () => {
        const provider = new Provider("away", { provisioning: { address, token, ...args } });
        new provisioning.Project("there", { organization, name: "there" }, { provider });
      };
    };
    const stack = await create(
      "engine-impostor",
      { ...configurationFor(home), "trivium:provisioningInsecureSkipVerify": "true" },
      {
        PROVISIONING_SKIP_VERIFY: "true",
        PROVISIONING_CACERT: selfSigned.certificate,
        TRIVIUM_PROVISIONING_TOKEN: home.provisioning.token,
      },
    );
    const text = await failureOf(stack.up(away()));
    assert.match(text, /unknown authority/);
    assert.match(text, /Set caCertificate \(in the trivium\.Provider or the call that sets the address\)/);
    assert.deepEqual(impostor.journal.requests(), []);
    await stack.up(away({ caCertificate: selfSigned.certificate }));
    assert.equal(projectsIn(impostor).length, 1);
    assert.equal(impostor.journal.count({ status: 401 }), 0);
  });
});
