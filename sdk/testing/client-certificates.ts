import { type CipherGCMTypes, createCipheriv, createHmac } from "node:crypto";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** Of RFC 8446, section 6.2. */
const alerts = { bad: 42, expired: 45, unknownAuthority: 48, required: 116 } as const;

/** As a server in Go chooses it: `processCertsFromClient` in `crypto/tls/handshake_server.go` of Go 1.26.8. */
function alertFor(socket: TLSSocket): number {
  if (Object.keys(socket.getPeerCertificate()).length === 0) {
    return alerts.required;
  }
  const reason = String(socket.authorizationError);
  if (/CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/.test(reason)) {
    return alerts.expired;
  }
  return /LEAF_SIGNATURE|ISSUER_CERT|SELF_SIGNED/.test(reason) ? alerts.unknownAuthority : alerts.bad;
}

const secrets = new WeakMap<TLSSocket, Buffer>();

/** Node.js only shows the secret of a connection here. */
export function noteSecret(line: Buffer, socket: TLSSocket): void {
  const [, secret] = /^SERVER_TRAFFIC_SECRET_0 \S+ ([\da-f]+)/.exec(line.toString("latin1")) ?? [];
  if (secret !== undefined) {
    secrets.set(socket, Buffer.from(secret, "hex"));
  }
}

/**
 * Ends a connection whose client has no valid certificate. Node.js ends it without the alert that tells the client why, and
 * has no way to send one. With TLS 1.2, this server does not send the alert either.
 *
 * @param raw the connection below, to which nothing was written since the handshake
 */
export function refuseClient(socket: TLSSocket, raw: Socket | undefined): void {
  const secret = secrets.get(socket);
  if (secret === undefined || raw === undefined) {
    socket.destroy();
    return;
  }
  raw.write(encryptedAlert(secret, socket.getCipher().standardName, alertFor(socket)), () =>
    raw.destroySoon(),
  );
}

const tagLength = 16;

/** The first record of the server after the handshake, of RFC 8446, section 5.2. */
function encryptedAlert(secret: Buffer, suite: string, alert: number): Buffer {
  const keyLength = suite.includes("_128_") ? 16 : 32;
  const algorithm = suite.includes("CHACHA20") ? "chacha20-poly1305" : `aes-${keyLength * 8}-gcm`;
  const key = expand(secret, "key", keyLength);
  const options = { authTagLength: tagLength };
  const cipher = createCipheriv(algorithm as CipherGCMTypes, key, expand(secret, "iv", 12), options);
  const fatal = Buffer.from([2, alert, 21]);
  const head = Buffer.from([23, 3, 3, 0, fatal.length + tagLength]);
  cipher.setAAD(head, { plaintextLength: fatal.length });
  return Buffer.concat([head, cipher.update(fatal), cipher.final(), cipher.getAuthTag()]);
}

/** HKDF-Expand-Label of RFC 8446, section 7.1, for less than one digest. */
function expand(secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`);
  const info = [Buffer.from([0, length, label.length]), label, Buffer.from([0, 1])];
  const hash = secret.length === 48 ? "sha384" : "sha256";
  return createHmac(hash, secret).update(Buffer.concat(info)).digest().subarray(0, length);
}
