import { createPrivateKey, X509Certificate } from "node:crypto";
import { succeeds } from "../../base/errors";
import { pemLines } from "../../resource/fields/kinds";

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

export function isAnyPem(text: string): boolean {
  return blocksOf(text).length > 0;
}

/** Text between the blocks, as tools write it, is allowed. */
export function isCertificates(text: string): boolean {
  const blocks = blocksOf(text);
  return blocks.length > 0 && blocks.every((each) => succeeds(() => new X509Certificate(each)));
}

/** PEM without a password. */
export function isPrivateKey(text: string): boolean {
  return succeeds(() => createPrivateKey(pemLines(text) as string));
}

/**
 * Whether the certificate is certainly of another key. False for text that cannot be read, which is left to
 * the service.
 */
export function isForeignKey(certificate: string, key: string): boolean {
  try {
    return !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function blocksOf(text: string): readonly string[] {
  const lines = pemLines(text) as string;
  return /-----(?:BEGIN|END)/.test(lines.replaceAll(block, "")) ? [] : (lines.match(block) ?? []);
}
