import { defineCase } from "../../support/case";
import { objectsAt } from "../../support/engines";

const fields = ["period", "key_size", "qr_size", "algorithm", "digits", "skew", "max_validation_attempts"];

export const totpMethod = defineCase({
  type: "secrets/mfa:TotpMethod",
  prepare: (services) =>
    Promise.resolve({
      ...services.context("secrets", (inspection) => inspection.secrets.totpMethods),
      issuer: services.freshName("Acme"),
    }),
  needs: ["secrets service"],
  ...objectsAt((id) => `identity/mfa/method/totp/${id}`, [...fields, "issuer"]),
  valid: ({ issuer }) => ({
    issuer,
    period: "1m",
    keySize: 25,
    qrSize: 300,
    algorithm: "SHA256",
    digits: 8,
    skew: 0,
    maxValidationAttempts: 3,
  }),
  spellings: () => ({ period: 60 }),
  changes: [
    { issuer: ({ issuer }) => `${issuer} Corporation` },
    { period: "45s" },
    { keySize: 32 },
    { qrSize: 400 },
    { algorithm: "SHA512" },
    { digits: 6 },
    { skew: 1 },
    { maxValidationAttempts: 4 },
  ],
  notCleared: ["name"],
  drifts: { issuer: { issuer: "Somebody else" } },
  hashicorp: {
    valid: ({ issuer }) => ({ name: issuer }),
    changes: [{ name: ({ issuer }) => `${issuer}-2` }, { enableSelfEnrollment: true }],
    drifts: { name: { method_name: ({ issuer }) => `${issuer}-moved` } },
  },
  populate: ({ secrets }) => secrets.addTotpMethod({ issuer: "somebody else's" }),
  leftByLostResponse: {
    // A method does not have a name, so a later run could not find it.
    find: ({ secrets }) => secrets.totpMethods.filter(({ issuer }) => issuer.startsWith("Acme")),
    named: /TOTP method .* might still have been created|a second one might appear/,
  },
});
