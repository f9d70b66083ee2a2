import assert from "node:assert/strict";
import { assertCodesAreRight } from "../../../secrets/mfa/one-time-codes";
import { useEmulator } from "../../../support/use-emulator";
import { readBarcode } from "../../../testing/secrets/mfa/read-barcode";
import { ProgramDirectory } from "../../support/program-directory";

const secretKey = "canary-secret-key-6e";
const integrationKey = "canary-integration-key-7f";

describe("the example of identity and MFA", function () {
  // Its types are checked at each run.
  this.timeout(180_000);

  const emulator = useEmulator({ resets: false });
  let example: ProgramDirectory;
  let shown = "";
  const keys: string[] = [];
  const barcodes: string[] = [];
  const pulumi = async (...command: readonly string[]): Promise<string> => {
    const { succeeded, text } = await example.pulumi(command);
    shown += text;
    assert.ok(succeeded, text);
    return text;
  };
  const secrets = () => emulator.inspect().secrets;
  /** What an app reads in the QR code that the program shows to who asks for it. */
  const scanned = async (): Promise<string> => {
    const { text } = await example.pulumi(["stack", "output", "--show-secrets", "qrCode"]);
    const [, barcode = ""] = /^data:image\/png;base64,(\S+)$/m.exec(text) ?? assert.fail("no image");
    barcodes.push(barcode);
    return readBarcode(barcode).text ?? assert.fail("no code in the image");
  };
  const assertEnrolled = async (): Promise<void> => {
    const url = await scanned();
    const [stored] = secrets().totpSecrets;
    const secret = new URL(url).searchParams.get("secret") ?? "";
    keys.push(secret);
    assertCodesAreRight({ url, secret }, stored);
  };

  before(async function () {
    this.timeout(900_000);
    const { SECRETS_ADDR = "", SECRETS_TOKEN = "" } = emulator.environment;
    example = await ProgramDirectory.ofExample("identity-mfa", { SECRETS_ADDR, SECRETS_TOKEN });
    await pulumi("config", "set", "entityId", emulator.secrets.addEntity({ name: "alice" }).id);
    await pulumi("config", "set", "mountAccessor", "auth_userpass_00000001");
    await pulumi("config", "set", "--secret", "secretKey", secretKey);
    await pulumi("config", "set", "--secret", "integrationKey", integrationKey);
  });
  after(() => {
    example.remove();
  });

  it("makes login, methods and secret, and shows a QR code that enrols an app", async () => {
    const text = await pulumi("up", "--yes", "--skip-preview");
    assert.match(text, /qrCode\s*: \[secret\]/);
    const { entityAliases, totpMethods, pushMethods } = secrets();
    assert.deepEqual(
      [entityAliases[0]?.name, totpMethods[0]?.issuer, pushMethods[0]?.secretKey],
      ["alice", "Acme", secretKey],
    );
    await assertEnrolled();
  });

  it("then changes nothing, and does not generate another secret", async () => {
    assert.match(await pulumi("up", "--yes", "--skip-preview"), /5 unchanged/);
    assert.equal((await scanned()).includes(keys[0] ?? "no key"), true);
  });

  it("enrols again when it is asked to", async () => {
    await pulumi("config", "set", "enrolment", "second");
    await pulumi("up", "--yes", "--skip-preview");
    await assertEnrolled();
    assert.equal(new Set(keys).size, 2);
    assert.equal(secrets().totpSecrets.length, 1);
  });

  it("deletes everything", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    const { entityAliases, totpMethods, totpSecrets, pushMethods } = secrets();
    assert.deepEqual([entityAliases, totpMethods, totpSecrets, pushMethods], [[], [], [], []]);
  });

  it("shows no secret in clear", async () => {
    const everywhere = shown + (await example.files());
    for (const secret of [...keys, ...barcodes, secretKey, integrationKey, emulator.secrets.token]) {
      assert.ok(!everywhere.includes(secret), "a secret was shown");
    }
  });
});
