import assert from "node:assert/strict";
import { Secret, TOTP, URI } from "otpauth";
import type { TotpSecretRecord } from "../../../sdk/testing";

/**
 * Asserts that an authenticator which has taken in an enrollment makes codes that are right for the key that the
 * service has stored.
 *
 * @param enrollment what the authenticator got: the URL, or the key in it that somebody typed in
 */
export function assertCodesAreRight(
  enrollment: { readonly url: string; readonly secret: string },
  stored: TotpSecretRecord | undefined,
): void {
  assert.ok(stored !== undefined, "the service has stored no secret");
  const { key, algorithm, digits, period } = stored;
  const service = new TOTP({ secret: Secret.fromBase32(key), algorithm, digits, period });
  const scanned = URI.parse(enrollment.url);
  assert.ok(scanned instanceof TOTP, "the URL is one of time-based codes");
  const typed = new TOTP({ secret: Secret.fromBase32(enrollment.secret), algorithm, digits, period });
  for (const timestamp of [0, 1_700_000_000_000, 4_102_444_800_000]) {
    for (const authenticator of [scanned, typed]) {
      const token = authenticator.generate({ timestamp });
      assert.equal(token.length, digits);
      assert.equal(service.validate({ token, timestamp, window: 0 }), 0);
    }
  }
}
