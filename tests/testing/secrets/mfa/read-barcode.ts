import jsQR from "jsqr";
import { PNG } from "pngjs";

/** @param barcode a PNG file in base 64. @returns what a scanner reads, and the size in pixels */
export function readBarcode(barcode: string) {
  const { data, width, height } = PNG.sync.read(Buffer.from(barcode, "base64"));
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width, height };
}
