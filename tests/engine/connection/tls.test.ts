import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificates } from "../../support/certificates";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, failureOf, programOf, projectsIn, withOrganization } from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

const { authority, otherHost, client } = certificates();

/** Which certificates are accepted, tests/http/tls.test.ts shows; whose settings count, tests/connection/trust.test.ts. */
describe("TLS with a private authority", function () {
  this.timeout(120_000);

  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const file = join(folder, "authority.pem");
  const { certificate, key } = otherHost;
  const tls = { certificate, key, clientCertificateAuthority: authority.certificate };
  const emulator = useEmulator({ resets: false, ...withOrganization, tls });
  const environment = () => ({ PROVISIONING_CACERT: file });
  const stack = useSharedStack("engine-tls", () => configurationFor(emulator, "provisioning"), {
    environment,
  });

  after(() => rmSync(folder, { recursive: true }));

  it("mutual TLS works with files and texts of certificates from the environment and the stack", async () => {
    writeFileSync(file, authority.certificate);
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
});
