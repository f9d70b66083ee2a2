import type { Dialect } from "../../base/settings";
import type { Validation } from "../../base/validation";
import type { Rule } from "../../resource/definition";
import { wholeSeconds } from "../../resource/schemas";
import { secretsDialects } from "../dialect";
import { mountArgument } from "../mount";
import { usualMount } from "./names";
import { isAnyPem, isCertificates, isForeignKey, isPrivateKey } from "./pem";
import { isServerUrls } from "./server-urls";

/** The arguments of a configuration, each by itself. */
export const configurationSchema = (z: Validation) => {
  const certificates = z
    .string()
    .refine((text) => text === "" || isCertificates(text), "must be a certificate in PEM");
  return {
    mount: mountArgument(z, usualMount),
    binddn: z.string().min(1, "must not be empty"),
    bindpass: z.string().min(1, "must not be empty"),
    url: z.string().optional(),
    passwordPolicy: z.string().optional(),
    schema: z.enum(["open", "ad", "racf"]).optional(),
    userdn: z.string().optional(),
    userattr: z.string().optional(),
    upndomain: z.string().optional(),
    requestTimeout: wholeSeconds(z).optional(),
    starttls: z.boolean().optional(),
    insecureTls: z.boolean().optional(),
    certificate: certificates.optional(),
    clientTlsCert: certificates.optional(),
    clientTlsKey: z
      .string()
      .refine((text) => text === "" || isAnyPem(text), "must be a private key in PEM")
      .optional(),
    skipStaticRoleImportRotation: z.boolean().optional(),
    length: z.number().int("must be a whole number").optional(),
    connectionTimeout: wholeSeconds(z).optional(),
    adopt: z.boolean().optional(),
  };
};

/** What is allowed and unlikely to work. */
export const configurationWarnings = {
  url: (url: unknown): string | undefined =>
    typeof url === "string" && !isServerUrls(url)
      ? "should be a URL such as ldaps://ldap.example.com, or several with commas between"
      : undefined,
  clientTlsKey: (key: unknown): string | undefined =>
    typeof key === "string" && key !== "" && !isPrivateKey(key)
      ? "should be a private key without a password"
      : undefined,
  length: (length: unknown): string | undefined =>
    typeof length === "number" && length < 1 ? "is less than 1, which is unlikely to work" : undefined,
};

/** The documents do not speak of the pair; the products refuse one that does not belong together. */
const isWarning = (dialect: Dialect): boolean => secretsDialects[dialect].refusals === "documented";

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** What the arguments of a configuration ask of each other. */
export const configurationRules: readonly Rule[] = [
  {
    between: ["length", "passwordPolicy"],
    check: ({ length, passwordPolicy }) =>
      isGiven(length) &&
      isGiven(passwordPolicy) && {
        argument: "length",
        reason: "must not be given together with passwordPolicy, which decides the length itself",
      },
  },
  {
    between: ["clientTlsCert", "clientTlsKey"],
    check({ clientTlsCert, clientTlsKey }, dialect) {
      const warning = isWarning(dialect);
      const needed = warning ? "is missing" : "is required";
      return (
        isGiven(clientTlsCert) !== isGiven(clientTlsKey) && {
          argument: isGiven(clientTlsCert) ? "clientTlsKey" : "clientTlsCert",
          reason: `${needed}: clientTlsCert and clientTlsKey belong together`,
          warning,
        }
      );
    },
  },
  {
    between: ["clientTlsCert", "clientTlsKey"],
    check: ({ clientTlsCert, clientTlsKey }, dialect) =>
      typeof clientTlsCert === "string" &&
      typeof clientTlsKey === "string" &&
      isForeignKey(clientTlsCert, clientTlsKey) && {
        argument: "clientTlsKey",
        reason: "is not the key of clientTlsCert",
        warning: isWarning(dialect),
      },
  },
];
