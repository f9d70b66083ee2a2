import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { allDialects } from "../../support/lifecycle-case";
import { countAt } from "../counting";
import { managementToken, schedulerEngineIn } from "./surroundings";

const pathOf = (mount: string): string => `${mount}/config/access`;

const otherToken = "canary-other-management-token-77";
const key = "-----BEGIN PRIVATE KEY-----\ncanaryKeyCanaryKeyCanaryKey\n-----END PRIVATE KEY-----\n";
const otherKey = key.replace("canaryKey", "canaryKex");
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

describeLifecycle({
  className: "secrets.scheduler.Access",
  type: "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Access",
  prepare: (world) => schedulerEngineIn(world, (inspection) => inspection.secrets.schedulerAccess),
  live: {
    needs: ["scheduler engine"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) => new trivium.secrets.scheduler.Access(name, args, options),
  valid: ({ given }) => ({
    ...given,
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
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["maxTokenNameLength", "caCert", "address"],
  drift: {
    argument: "address",
    cause: ({ world }, id) => world.secrets.api.write(pathOf(id), { address: "a://b:1" }),
  },
  get: (name, id, options) => trivium.secrets.scheduler.Access.get(name, id, options),
  // Nor do the documents promise the two certificates.
  writeOnly: ["token", "clientKey", "clientCert", "caCert", "maxTokenNameLength"],
  adopt: false,
  inPlace: true,
  vanish: ({ emulator, world }, id) =>
    // The documents know no request for it.
    emulator === undefined
      ? world.secrets.api.remove(pathOf(id))
      : emulator.secrets.removeSchedulerAccess(id),
  remains: {
    dialects: allDialects,
    announced: /The access configuration of the scheduler engine at \S+ stays in the secrets service/,
  },
  canaries: [managementToken, otherToken, "canaryKeyCanaryKey", "canaryKexCanaryKey"],
});
