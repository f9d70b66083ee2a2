import { createRequire } from "node:module";
import type * as QrCode from "qrcode";
import { badRequest, failure } from "../refusal";

/** Modules of white that readers want around the symbol; less where there is no room. */
const quietZone = 4;

/**
 * A text as a QR code.
 *
 * @param size pixels in a row, and rows
 * @returns draws it: a PNG file in base 64
 * @throws Refusal 500 when the size is too small for the text, or the text too long for any code
 */
export function barcodeOf(text: string, size: number): () => Promise<string> {
  const { create, toBuffer } = loadPeer();
  const modules = sizeOf(text, create);
  const scale = Math.floor(size / (modules + 2 * quietZone)) || Math.floor(size / modules);
  if (scale === 0) {
    throw failure(`can not scale barcode to an image smaller than ${modules}x${modules}`);
  }
  // Without a quarter of a pixel more, rounding errors of divisions make some pictures a pixel smaller.
  const margin = ((size - modules * scale) / 2 + (scale > 2 ? 0.25 : 0)) / scale;
  return async () => {
    const picture = await toBuffer(text, { errorCorrectionLevel: "M", scale, margin });
    return picture.toString("base64");
  };
}

/** Modules in a row. */
function sizeOf(text: string, create: typeof QrCode.create): number {
  try {
    return create(text, { errorCorrectionLevel: "M" }).modules.size;
  } catch (error) {
    throw failure(error instanceof Error ? error.message : String(error));
  }
}

/** Loaded by the first barcode only, so it is not required without barcodes. */
function loadPeer(): typeof QrCode {
  try {
    return createRequire(__filename)("qrcode") as typeof QrCode;
  } catch {
    // A 500 would leave open whether there is a secret now.
    throw badRequest(
      'The emulator needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0.',
    );
  }
}
