import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { managementToken, otherMount, schedulerEngine, secretsToken, surroundingsOf } from "./surroundings";

const otherToken = "canary-other-management-token-77";
const key = "-----BEGIN PRIVATE KEY-----\ncanaryKeyCanaryKeyCanaryKey\n-----END PRIVATE KEY-----\n";
const otherKey = key.replace("canaryKey", "canaryKex");
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.scheduler.Access",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Access",
  async prepare() {
    emulator = await schedulerEngine();
    return surroundingsOf(emulator, () =>
      emulator.inspect().secrets.schedulerAccess.map((access) => ({ ...access })),
    );
  },
  declare: (name, args, options) => new trivium.secrets.scheduler.Access(name, args, options),
  valid: () => ({
    address: "https://10.0.0.4:4646",
    token: managementToken,
    maxTokenNameLength: 64,
    caCert: certificate,
    clientCert: certificate,
    clientKey: key,
  }),
  spellings: { caCert: `\n${certificate.replaceAll("\n", "\r\n")}`, clientKey: key.trim() },
  changes: [
    { argument: "address", to: "https://10.0.0.5:4646" },
    { argument: "token", to: otherToken },
    { argument: "maxTokenNameLength", to: 128 },
    { argument: "caCert", to: certificate.replace("AAAA", "AAAB") },
    { argument: "clientCert", to: certificate.replace("AAAA", "AAAC") },
    { argument: "clientKey", to: otherKey },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: ["maxTokenNameLength", "caCert", "address"],
  drift: {
    argument: "address",
    cause: (_surroundings, id) => emulator.secrets.changeSchedulerAccess({ address: "a://b:1" }, id),
  },
  get: (name, id) => trivium.secrets.scheduler.Access.get(name, id),
  // Nor do the documents promise the two certificates.
  writeOnly: ["token", "clientKey", "clientCert", "caCert", "maxTokenNameLength"],
  adopt: false,
  vanish: (_surroundings, id) => emulator.secrets.removeSchedulerAccess(id),
  remains: {
    announced: /The access configuration of the scheduler engine at \S+ stays in the secrets service/,
  },
  canaries: [secretsToken, managementToken, otherToken, "canaryKeyCanaryKey", "canaryKexCanaryKey"],
});
