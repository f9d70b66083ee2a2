import jsQR from "jsqr";
import { PNG } from "pngjs";

/** What a scanner reads in a barcode, and its size in pixels. */
export interface ScannedBarcode {
  readonly text: string | undefined;
  readonly width: number;
  readonly height: number;
}

/** @param barcode a PNG file in base 64 */
export function readBarcode(barcode: string): ScannedBarcode {
  const { data, width, height } = PNG.sync.read(Buffer.from(barcode, "base64"));
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width, height };
}
