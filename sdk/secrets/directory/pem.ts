import { createPrivateKey, X509Certificate } from "node:crypto";
import { pem } from "../../resource/fields/canonical";

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** Whether a text is PEM of any kind. */
export function isAnyPem(text: string): boolean {
  return blocksOf(text).length > 0;
}

/** Whether a text is certificates in PEM. Other text, as written by tools, is allowed between the blocks. */
export function isCertificates(text: string): boolean {
  const blocks = blocksOf(text);
  return blocks.length > 0 && blocks.every((each) => isReadable(() => new X509Certificate(each)));
}

/** Whether a text is a private key in PEM that needs no password. */
export function isPrivateKey(text: string): boolean {
  return isReadable(() => createPrivateKey(pem(text) as string));
}

/** Whether a key is surely another than that of a certificate; what cannot be read is left to the service. */
export function isForeignKey(certificate: string, key: string): boolean {
  try {
    return !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The blocks of a text; none where one has no beginning or no end. */
function blocksOf(text: string): readonly string[] {
  const lines = pem(text) as string;
  return /-----(?:BEGIN|END)/.test(lines.replaceAll(block, "")) ? [] : (lines.match(block) ?? []);
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
