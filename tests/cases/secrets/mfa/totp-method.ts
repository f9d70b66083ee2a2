import { defineCase } from "../../support/case";
import { countAt, enterprise } from "../../support/engines";

const pathOf = (id: string): string => `identity/mfa/method/totp/${id}`;
const fields = ["period", "key_size", "qr_size", "algorithm", "digits", "skew", "max_validation_attempts"];

export const totpMethod = defineCase({
  type: "secrets/mfa:TotpMethod",
  prepare: (services) =>
    Promise.resolve({
      ...services.context("secrets", (inspection) => inspection.secrets.totpMethods),
      issuer: services.freshName("Acme"),
    }),
  live: { needs: ["secrets service"], count: countAt(pathOf) },
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
    { argument: "issuer", toIn: ({ issuer }) => `${issuer} Corporation` },
    { argument: "period", to: "45s" },
    { argument: "keySize", to: 32 },
    { argument: "qrSize", to: 400 },
    { argument: "algorithm", to: "SHA512" },
    { argument: "digits", to: 6 },
    { argument: "skew", to: 1 },
    { argument: "maxValidationAttempts", to: 4 },
  ],
  cleared: ["period", "keySize", "qrSize", "algorithm", "digits", "skew", "maxValidationAttempts"],
  drift: {
    argument: "issuer",
    cause: ({ services }, id) => services.secrets.api.change(pathOf(id), fields, { issuer: "Somebody else" }),
  },
  hashicorp: {
    valid: ({ issuer }) => ({ name: issuer }),
    changes: [
      { argument: "name", toIn: ({ issuer }) => `${issuer}-2` },
      { argument: "enableSelfEnrollment", to: true, needs: enterprise },
    ],
    cleared: ["enableSelfEnrollment"],
    drifts: [
      {
        argument: "name",
        cause: ({ services, issuer }, id) =>
          services.secrets.api.change(pathOf(id), [...fields, "issuer"], { method_name: `${issuer}-moved` }),
      },
    ],
  },
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  populate: ({ secrets }) => secrets.addTotpMethod({ issuer: "somebody else's" }),
  leftovers: {
    // A method has no name by which a later run could find it.
    find: ({ secrets }, known) =>
      secrets.totpMethods
        .filter(({ id, issuer }) => !known(id) && issuer.startsWith("Acme"))
        .map(({ id }) => ({ expiresAt: null, end: (operator) => operator.secrets.removeTotpMethod(id) })),
    named: /TOTP method .* may nevertheless have been created|a second one may appear/,
    endsByItself: false,
  },
  canaries: [],
});
