import { randomInt } from "node:crypto";

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";

/**
 * An identifier such as `prj-` and 16 letters and digits. Never repeated: neither after a reset nor by another
 * emulator, so that an identifier which is left over from before is found to be unknown.
 */
export function newIdentifier(prefix: string, length = 16): string {
  return prefix + Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
