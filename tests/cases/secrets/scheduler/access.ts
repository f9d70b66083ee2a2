import { defineCase } from "../../support/case";
import { engineIn, objectsAt } from "../../support/engines";

const tokens = ["canary-management-token-51c0", "canary-other-management-token-77"] as const;
const key = "-----BEGIN PRIVATE KEY-----\ncanaryKeyCanaryKeyCanaryKey\n-----END PRIVATE KEY-----\n";
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const objects = objectsAt((mount) => `${mount}/config/access`);

export const access = defineCase({
  type: "secrets/scheduler:Access",
  prepare: (services) => engineIn(services, "scheduler", ({ schedulerAccess }) => schedulerAccess),
  needs: ["scheduler engine"],
  ...objects,
  valid: ({ given }) => ({
    ...given,
    address: "https://10.0.0.4:4646",
    token: tokens[0],
    maxTokenNameLength: 64,
    caCert: certificate,
    clientCert: certificate,
    clientKey: key,
  }),
  spellings: () => ({ caCert: `\n${certificate.replaceAll("\n", "\r\n")}`, clientKey: key.trim() }),
  changes: [
    { address: "https://10.0.0.5:4646" },
    { token: tokens[1] },
    { maxTokenNameLength: 128 },
    { caCert: certificate.replace("AAAA", "AAAB") },
    { clientCert: certificate.replace("AAAA", "AAAC"), clientKey: key },
    { clientKey: key.replace("canaryKey", "canaryKex") },
    { forgetToken: true },
    { mount: ({ otherMount }) => otherMount },
  ],
  // Without the permission, nothing could replace or delete it.
  alsoCreatedWith: [{ bootstrap: true, token: undefined, forgetToken: true }],
  notCleared: ["token"],
  drifts: { address: { address: "a://b:1" } },
  deleteByHand: (context, id) =>
    // The documents have no request that deletes it.
    context.emulator === undefined
      ? objects.deleteByHand(context, id)
      : context.emulator.secrets.removeSchedulerAccess(id),
  leftByDeletion: {
    documented: /The access configuration of the scheduler engine at \S+ stays in the secrets service/,
  },
  canaries: [...tokens, "canaryKeyCanaryKey", "canaryKexCanaryKey"],
});
