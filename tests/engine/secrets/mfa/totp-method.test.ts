import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt } from "../counting";

const pathOf = (id: string): string => `identity/mfa/method/totp/${id}`;
const fields = ["period", "key_size", "qr_size", "algorithm", "digits", "skew", "max_validation_attempts"];

describeLifecycle({
  className: "secrets.mfa.TotpMethod",
  type: "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpMethod",
  prepare: (world) =>
    Promise.resolve(world.surroundings("secrets", (inspection) => inspection.secrets.totpMethods)),
  live: {
    needs: ["secrets service"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.mfa.TotpMethod(name, args as unknown as trivium.secrets.mfa.TotpMethodArgs, options),
  valid: () => ({
    issuer: "Acme",
    period: "1m",
    keySize: 25,
    qrSize: 300,
    algorithm: "SHA256",
    digits: 8,
    skew: 0,
    maxValidationAttempts: 3,
  }),
  spellings: { period: 60 },
  changes: [
    { argument: "issuer", to: "Acme Corporation" },
    { argument: "period", to: "45s" },
    { argument: "keySize", to: 32 },
    { argument: "qrSize", to: 400 },
    { argument: "algorithm", to: "SHA512" },
    { argument: "digits", to: 6 },
    { argument: "skew", to: 1 },
    { argument: "maxValidationAttempts", to: 4 },
  ],
  cleared: ["period", "algorithm"],
  drift: {
    argument: "issuer",
    cause: ({ world }, id) => world.secrets.api.change(pathOf(id), fields, { issuer: "Somebody else" }),
  },
  get: (name, id, options) => trivium.secrets.mfa.TotpMethod.get(name, id, options),
  // It has no name by which one could be found.
  adopt: false,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [],
});
