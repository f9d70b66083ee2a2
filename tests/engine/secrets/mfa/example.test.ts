import assert from "node:assert/strict";
import { assertCodesAreRight } from "../../../secrets/mfa/one-time-codes";
import { useEmulator } from "../../../support/use-emulator";
import { readBarcode } from "../../../testing/secrets/mfa/read-barcode";
import { ProgramDirectory } from "../../support/program-directory";

describe("the example of identity and MFA", function () {
  // Its types are checked at each run.
  this.timeout(180_000);

  const emulator = useEmulator({ resets: false });
  const secretKeys = { secretKey: "canary-secret-key-6e", integrationKey: "canary-integration-key-7f" };
  const enrolled: string[] = [];
  let example: ProgramDirectory;
  const up = () => example.run("up", "--yes", "--skip-preview");
  const secrets = () => emulator.inspect().secrets;
  /** An app reads the QR code that the program shows to those who ask for it. */
  const assertEnrolled = async (): Promise<void> => {
    const text = await example.outputOf("qrCode");
    const [, barcode = ""] = /^data:image\/png;base64,(\S+)$/m.exec(text) ?? assert.fail("no image");
    const url = readBarcode(barcode).text ?? assert.fail("no code in the image");
    const secret = new URL(url).searchParams.get("secret") ?? "";
    enrolled.push(secret, barcode);
    assertCodesAreRight({ url, secret }, secrets().totpSecrets[0]);
    assert.equal(secrets().totpSecrets.length, 1);
  };

  before(async function () {
    this.timeout(900_000);
    const { SECRETS_ADDR = "", SECRETS_TOKEN = "" } = emulator.environment;
    example = await ProgramDirectory.ofExample("identity-mfa", { SECRETS_ADDR, SECRETS_TOKEN });
    await example.run("config", "set", "entityId", emulator.secrets.addEntity({ name: "alice" }).id);
    await example.run("config", "set", "mountAccessor", "auth_userpass_00000001");
    for (const [name, key] of Object.entries(secretKeys)) {
      await example.run("config", "set", "--secret", name, key);
    }
  });
  after(() => {
    example.remove();
  });

  it("creates login, methods and secret, and shows a QR code that enrols an app", async () => {
    assert.match(await up(), /qrCode\s*: \[secret\]/);
    const { entityAliases, totpMethods, pushMethods } = secrets();
    assert.deepEqual(
      [entityAliases[0]?.name, totpMethods[0]?.issuer, pushMethods[0]?.secretKey],
      ["alice", "Acme", secretKeys.secretKey],
    );
    await assertEnrolled();
  });

  it("then changes nothing, and enrols again only when the configuration says so", async () => {
    assert.match(await up(), /5 unchanged/);
    await assertEnrolled();
    await example.run("config", "set", "enrolment", "second");
    await up();
    await assertEnrolled();
    assert.equal(new Set(enrolled).size, 4);
  });

  it("deletes everything, and has shown no secret in clear", async () => {
    await example.run("destroy", "--yes", "--skip-preview");
    const { entityAliases, totpMethods, totpSecrets, pushMethods } = secrets();
    assert.deepEqual([entityAliases, totpMethods, totpSecrets, pushMethods], [[], [], [], []]);
    const everywhere = example.output + (await example.files());
    for (const secret of [...enrolled, ...Object.values(secretKeys), emulator.secrets.token]) {
      assert.ok(!everywhere.includes(secret), "a secret was shown");
    }
  });
});
