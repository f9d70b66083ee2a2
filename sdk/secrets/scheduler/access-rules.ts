import type { Rule } from "../../resource/definition";
import { secretsDialects } from "../dialect";

/** `protocol://host:port`, as the documents write addresses. */
const documentedAddress = /^$|^[a-z][a-z\d+.-]*:\/\/[^\s/]/i;

/** Why an address is unlikely to be one. */
export function addressProblem(address: unknown): string | undefined {
  return typeof address === "string" && !documentedAddress.test(address)
    ? "is not protocol://host:port, such as https://10.0.0.4:4646"
    : undefined;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** What the arguments of an access configuration ask of each other. */
export const accessRules: readonly Rule[] = [
  {
    between: ["clientCert", "clientKey"],
    // The documents say that each requires the other; the products take one alone.
    check({ clientCert, clientKey }, dialect) {
      const warning = secretsDialects[dialect].refusals === "of the products";
      return isGiven(clientCert) && !isGiven(clientKey)
        ? { argument: "clientCert", reason: "needs clientKey", warning }
        : !isGiven(clientCert) &&
            isGiven(clientKey) && { argument: "clientCert", reason: "is required with clientKey", warning };
    },
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
