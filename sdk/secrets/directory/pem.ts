import { createPrivateKey, X509Certificate } from "node:crypto";
import { isBase64 } from "./template/base64";

const block = /-----BEGIN ([A-Z0-9 ]+)-----\s([^-]*)-----END \1-----/g;

/** Whether a text is certificates in PEM. Other text may stand beside the blocks, as tools write it there. */
export function isCertificates(text: string): boolean {
  return isPem(text, /^CERTIFICATE$/);
}

/** Whether a text is PEM of any kind. */
export function isAnyPem(text: string): boolean {
  return isPem(text, /^/);
}

/** Whether a text is a private key in PEM that needs no password. */
export function isPrivateKey(text: string): boolean {
  return isPem(text, /^(?:(?:RSA |EC )?PRIVATE KEY|EC PARAMETERS)$/);
}

/** Whether a key is surely another than that of a certificate; what cannot be read is left to the service. */
export function isForeignKey(certificate: string, key: string): boolean {
  try {
    return !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function isPem(text: string, label: RegExp): boolean {
  const blocks = [...text.matchAll(block)];
  const beside = text.replaceAll(block, "");
  return (
    blocks.length > 0 &&
    blocks.every(([, name = "", body = ""]) => label.test(name) && isEncoded(body)) &&
    !/-----(?:BEGIN|END)/.test(beside)
  );
}

function isEncoded(body: string): boolean {
  const compact = body.replace(/\s/g, "");
  return compact !== "" && isBase64(compact);
}
