/**
 * The ways in which a secret shows up in a text: as it is, escaped in JSON, encoded in an address or a form, in
 * base64 (by itself, or inside something longer that was encoded), and line by line.
 */
export function appearancesOf(secret: string): ReadonlySet<string> {
  const texts = [secret, secret.trim(), ...encodedLines(secret)].filter((text) => text !== "");
  return new Set(texts.flatMap((text) => [text, ...inJson(text), ...inAddresses(text), ...inBase64(text)]));
}

/** Indentation and quoting tear a key in PEM apart; each of its lines is worth hiding, its frame is not. */
function encodedLines(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/);
  return lines.length === 1
    ? []
    : lines.map((line) => line.trim()).filter((line) => /^[\w+/=-]{16,}$/.test(line));
}

function inJson(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const unicode = (pattern: RegExp): string =>
    once.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  // Encoders differ in what else they escape: signs of HTML, everything beyond ASCII, the slash.
  return [once, twice, unicode(/[<>&]/g), unicode(/[^ -~]/g), once.replaceAll("/", "\\/")];
}

function inAddresses(text: string): string[] {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": wellFormed }).toString().slice(1);
  const path = encodeURI(wellFormed);
  const all = [percent, strict, form, path];
  return [...all, ...all.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The characters at either end also hold bits of what stands beside the secret.
    const incomplete = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, encoded.length - incomplete);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
