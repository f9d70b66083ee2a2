import type { Rule, Validation } from "../../resource/definition";
import { wholeSeconds } from "../../resource/schemas";
import { mountArgument } from "../mount";
import { usualMount } from "./names";
import { isCertificates, isForeignKey, isPrivateKey } from "./pem";
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
    url: z
      .string()
      .refine(isServerUrls, "must be a URL such as ldaps://ldap.example.com, or several with commas between")
      .optional(),
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
      .refine((text) => text === "" || isPrivateKey(text), "must be a private key in PEM, without a password")
      .optional(),
    skipStaticRoleImportRotation: z.boolean().optional(),
    length: z.number().int("must be a whole number").min(1, "must be at least 1").optional(),
    connectionTimeout: wholeSeconds(z).optional(),
    adopt: z.boolean().optional(),
  };
};

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
    check: ({ clientTlsCert, clientTlsKey }) =>
      isGiven(clientTlsCert) !== isGiven(clientTlsKey) && {
        argument: isGiven(clientTlsCert) ? "clientTlsKey" : "clientTlsCert",
        reason: "is required: clientTlsCert and clientTlsKey are given both or not at all",
      },
  },
  {
    between: ["clientTlsCert", "clientTlsKey"],
    check: ({ clientTlsCert, clientTlsKey }) =>
      typeof clientTlsCert === "string" &&
      typeof clientTlsKey === "string" &&
      isForeignKey(clientTlsCert, clientTlsKey) && {
        argument: "clientTlsKey",
        reason: "is not the key of clientTlsCert",
      },
  },
];
