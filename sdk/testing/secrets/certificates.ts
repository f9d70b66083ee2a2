import { createPrivateKey, X509Certificate } from "node:crypto";

/** @param key PEM; if given, whether it belongs to the certificate */
export function isCertificate(pem: string, key?: string): boolean {
  try {
    const certificate = new X509Certificate(pem);
    return key === undefined || certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
