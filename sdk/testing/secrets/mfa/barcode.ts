import { createRequire } from "node:module";
import type { create as createQrCode } from "qrcode";
import { badRequest, failure } from "../refusal";
import { toPng } from "./png";

/** Modules of white that readers want around the symbol; less where there is no room. */
const quietZone = 4;

/**
 * A text as a QR code: a PNG file in base 64.
 *
 * @param size pixels in a row, and rows
 * @throws Refusal 500 when the size is too small for the text, or the text too long for any code
 */
export function toBarcode(text: string, size: number): string {
  const { modules } = encode(text);
  const scale = Math.floor(size / (modules.size + 2 * quietZone)) || Math.floor(size / modules.size);
  if (scale === 0) {
    const least = `${modules.size}x${modules.size}`;
    throw failure(`can not scale barcode to an image smaller than ${least}`);
  }
  const margin = Math.floor((size - modules.size * scale) / 2);
  const isInside = (position: number): boolean => position >= 0 && position < modules.size;
  const picture = toPng(size, (x, y) => {
    const column = Math.floor((x - margin) / scale);
    const row = Math.floor((y - margin) / scale);
    return isInside(column) && isInside(row) && modules.get(row, column) === 1;
  });
  return picture.toString("base64");
}

function encode(text: string): ReturnType<typeof createQrCode> {
  const create = loadPeer();
  try {
    return create(text, { errorCorrectionLevel: "M" });
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
}

/** Loaded by the first barcode only: whoever draws none need not have it. */
function loadPeer(): typeof createQrCode {
  try {
    return (createRequire(__filename)("qrcode") as { readonly create: typeof createQrCode }).create;
  } catch {
    // A 500 would leave open whether there is a secret now.
    throw badRequest(
      'The emulator needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0.',
    );
  }
}
