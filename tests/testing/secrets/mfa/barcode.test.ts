import assert from "node:assert/strict";
import { barcodeOf } from "../../../../sdk/testing/secrets/mfa/barcode";
import { Refusal } from "../../../../sdk/testing/secrets/refusal";
import { readBarcode } from "./read-barcode";

describe("a barcode", () => {
  const url = `otpauth://totp/acme:x?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${"A".repeat(32)}`;

  for (const size of [49, 100, 101, 163, 199, 200, 205, 208, 256, 1_000]) {
    it(`of ${size} pixels can be scanned`, async () => {
      assert.deepEqual(readBarcode(await barcodeOf(url, size)()), { text: url, width: size, height: size });
    });
  }

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
});
