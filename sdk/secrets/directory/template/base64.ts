const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * LDIF that was given as base64, decoded. The service tells the two apart by trying, so this does too: a text that
 * happens to be valid base64 is taken as such.
 *
 * @returns `undefined` when the text is not base64, and for an empty text
 */
export function decodeLdif(text: string): string | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  const decoded =
    compact.length % 4 === 0 && base64.test(compact) ? Buffer.from(compact, "base64").toString("utf8") : "";
  return decoded === "" ? undefined : decoded;
}
