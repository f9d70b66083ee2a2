import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();

// Each job logs in with its own identity: no token is in the repository, the pipeline's variables or state.
const methods = config
  .requireObject<readonly string[]>("issuers")
  .map((issuer) => new trivium.secrets.mfa.TotpMethod(issuer, { issuer }));

export const methodIds = methods.map(({ id }) => id);
