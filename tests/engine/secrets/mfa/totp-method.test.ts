import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";

const token = "canary-token-b3309d";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.mfa.TotpMethod",
  type: "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpMethod",
  async prepare() {
    emulator = await startEmulator({ tokens: { secrets: token } });
    return {
      configuration: {
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsToken": { secret: token },
      },
      objects: () => emulator.inspect().secrets.totpMethods.map((method) => ({ ...method })),
      requests: () => emulator.journal.count(),
      close: () => emulator.close(),
    };
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
    cause: (_surroundings, id) => emulator.secrets.changeTotpMethod(id, { issuer: "Somebody else" }),
  },
  get: (name, id) => trivium.secrets.mfa.TotpMethod.get(name, id),
  // It has no name by which one could be found.
  adopt: false,
  vanish: (_surroundings, id) => emulator.secrets.removeTotpMethod(id),
  canaries: [token],
});
