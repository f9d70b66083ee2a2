import assert from "node:assert/strict";
import { PNG } from "pngjs";
import { barcodeOf } from "../../../../sdk/testing/secrets/mfa/barcode";
import { Refusal } from "../../../../sdk/testing/secrets/refusal";
import { failureWithoutPackages } from "../../without-packages";
import { readBarcode } from "./read-barcode";

describe("a barcode", () => {
  const url = `otpauth://totp/acme:x?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${"A".repeat(32)}`;

  for (const size of [49, 100, 101, 163, 199, 200, 205, 208, 256, 1_000]) {
    it(`of ${size} pixels can be scanned`, async () => {
      assert.deepEqual(readBarcode(await barcodeOf(url, size)()), { text: url, width: size, height: size });
    });
  }

  it("is in the middle of white, four modules wide where there is room", async () => {
    for (const [size, least] of [
      [200, 12],
      [100, 4],
      [60, 0],
    ] as const) {
      const { data } = PNG.sync.read(Buffer.from(await barcodeOf(url, size)(), "base64"));
      const black = Array.from({ length: size * size }, (_, pixel) => pixel).filter(
        (pixel) => data[pixel * 4] === 0,
      );
      for (const position of [(pixel: number) => pixel % size, (pixel: number) => Math.floor(pixel / size)]) {
        const positions = black.map(position);
        const [before, after] = [Math.min(...positions), size - 1 - Math.max(...positions)];
        assert.ok(before >= least && Math.abs(before - after) <= 1, `${size}: ${before}, ${after}`);
      }
    }
  });

  for (const [what, text, size, words] of [
    ["a size smaller than the symbol", url, 20, /can not scale barcode to an image smaller than \d+x\d+/],
    ["more text than any symbol holds", "x".repeat(5_000), 1_000, /too big/],
  ] as const) {
    it(`cannot be made for ${what}`, () => {
      assert.throws(
        () => barcodeOf(text, size),
        (error) => error instanceof Refusal && error.status === 500 && words.test(error.message),
      );
    });
  }

  it("says what to install where its package is missing", () => {
    assert.match(
      failureWithoutPackages('require("./testing/secrets/mfa/barcode").barcodeOf("x", 200)'),
      /needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0\.\n/,
    );
  });
});
