import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { isCertificates, isForeignKey, isPrivateKey } from "../../../sdk/secrets/directory/pem";
import { certificates } from "../../support/certificates";

describe("PEM", () => {
  const { authority, client, server } = certificates();
  const both = `${authority.certificate}${server.certificate}`;

  const spellings: readonly [string, (text: string) => string][] = [
    ["as tools write it", (text) => text],
    ["with Windows line endings", (text) => text.replaceAll("\n", "\r\n")],
    ["indented", (text) => text.replaceAll("\n", "\n  ")],
    ["without a final newline", (text) => text.trimEnd()],
    ["with other text around it", (text) => `Subject: CN=client\n${text}\n# end`],
  ];
  for (const [how, spell] of spellings) {
    it(`PEM is accepted ${how}`, () => {
      assert.ok(isCertificates(spell(client.certificate)));
      assert.ok(isCertificates(spell(both)));
      assert.ok(isPrivateKey(spell(client.key)));
    });
  }

  it("PEM can contain private keys of every common kind, but none with a password", () => {
    const keys = [
      generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }),
      generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "sec1", format: "pem" }),
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }),
    ].map(String);
    for (const key of keys) {
      assert.ok(isPrivateKey(key), key.split("\n", 1)[0]);
      assert.ok(!isCertificates(key));
    }
    const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    assert.ok(isPrivateKey(`${parameters}${keys[1]}`));
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const secret = { cipher: "aes-256-cbc", passphrase: "correct horse" };
    assert.ok(!isPrivateKey(String(privateKey.export({ type: "pkcs8", format: "pem", ...secret }))));
    assert.ok(!isPrivateKey(String(publicKey.export({ type: "spki", format: "pem" }))));
  });

  const [unended = ""] = client.certificate.split("-----END");
  const [another = ""] = server.certificate.split("-----END");
  const broken: readonly [string, string][] = [
    ["a block that is empty", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"],
    ["a block that does not end", unended],
    ["a second block that does not end", client.certificate + another],
    ["a block that has lost a character", client.certificate.replace("MII", "MI")],
    ["newlines written as escapes", client.certificate.replaceAll("\n", "\\n")],
    ["a certificate with a key", client.certificate + client.key],
  ];
  for (const [what, text] of broken) {
    it(`PEM is not ${what}`, () => assert.ok(!isCertificates(text)));
  }

  it("a key of another certificate is reported, and the rest is left to the service", () => {
    assert.ok(!isForeignKey(client.certificate, client.key));
    assert.ok(isForeignKey(client.certificate, server.key));
    const shaped = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert.ok(!isForeignKey(shaped, client.key));
    assert.ok(!isForeignKey(client.certificate, "no key"));
  });
});
