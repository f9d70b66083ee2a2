/** The whole alphabet with its padding, in which line ends do not count. */
export function isBase64(text: string): boolean {
  const compact = text.replace(/[\r\n]/g, "");
  return compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact);
}

/**
 * LDIF that was given as base64, decoded. The service tells the two apart by trying, so this does too: a text that
 * happens to be valid base64 is taken as such.
 *
 * @returns `undefined` when the text is not base64, and for an empty text
 */
export function decodeLdif(text: string): string | undefined {
  const decoded = isBase64(text) ? Buffer.from(text, "base64").toString("utf8") : "";
  return decoded === "" ? undefined : decoded;
}
