import type { Rule } from "../../resource/definition";
import { secretsDialects } from "../dialect";

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** What the arguments of an access configuration ask of each other. */
export const accessRules: readonly Rule[] = [
  {
    between: ["clientCert", "clientKey"],
    check: ({ clientCert, clientKey }) =>
      isGiven(clientCert) && !isGiven(clientKey)
        ? { argument: "clientCert", reason: "needs clientKey" }
        : !isGiven(clientCert) &&
          isGiven(clientKey) && { argument: "clientCert", reason: "is required with clientKey" },
  },
  {
    // Asked of updates as well: a token that is taken out of the program is cleared, which bootstraps too.
    between: ["token", "bootstrap"],
    check: ({ token, bootstrap }, dialect) =>
      secretsDialects[dialect].accessWithoutTokenBootstraps &&
      !isGiven(token) &&
      bootstrap !== true && {
        argument: "token",
        reason:
          "is required: without one the service takes over the access control of the scheduler (ACL bootstrap), " +
          "which can be done only once. If that is what you want, set bootstrap to true",
      },
  },
];
