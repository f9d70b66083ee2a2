import { defineCase } from "../../support/case";
import { countAt, managementToken, schedulerEngineIn } from "../../support/engines";

const pathOf = (mount: string): string => `${mount}/config/access`;

const otherToken = "canary-other-management-token-77";
const key = "-----BEGIN PRIVATE KEY-----\ncanaryKeyCanaryKeyCanaryKey\n-----END PRIVATE KEY-----\n";
const otherKey = key.replace("canaryKey", "canaryKex");
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

export const access = defineCase({
  type: "secrets/scheduler:Access",
  prepare: (services) => schedulerEngineIn(services, (inspection) => inspection.secrets.schedulerAccess),
  live: { needs: ["scheduler engine"], count: countAt(pathOf) },
  valid: ({ given }) => ({
    ...given,
    address: "https://10.0.0.4:4646",
    token: managementToken,
    maxTokenNameLength: 64,
    caCert: certificate,
    clientCert: certificate,
    clientKey: key,
  }),
  spellings: () => ({ caCert: `\n${certificate.replaceAll("\n", "\r\n")}`, clientKey: key.trim() }),
  changes: [
    { argument: "address", to: "https://10.0.0.5:4646" },
    { argument: "token", to: otherToken },
    { argument: "maxTokenNameLength", to: 128 },
    { argument: "caCert", to: certificate.replace("AAAA", "AAAB") },
    { argument: "clientCert", to: certificate.replace("AAAA", "AAAC"), also: { clientKey: key } },
    { argument: "clientKey", to: otherKey },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["address", "maxTokenNameLength", "caCert", "clientCert", "clientKey"],
  drift: {
    argument: "address",
    cause: ({ services }, id) => services.secrets.api.write(pathOf(id), { address: "a://b:1" }),
  },
  // The documents do not promise that reads return these.
  untold: ["clientCert", "caCert", "maxTokenNameLength"],
  inPlace: true,
  vanish: ({ emulator, services }, id) =>
    // The documents have no request that deletes it.
    emulator === undefined
      ? services.secrets.api.remove(pathOf(id))
      : emulator.secrets.removeSchedulerAccess(id),
  remains: {
    dialects: ["documented"],
    announced: /The access configuration of the scheduler engine at \S+ stays in the secrets service/,
  },
  canaries: [managementToken, otherToken, "canaryKeyCanaryKey", "canaryKexCanaryKey"],
});
