import * as pulumi from "@pulumi/pulumi";
import { resources } from "./arguments";

class Bridged extends pulumi.CustomResource {}

// Uses the bridged native provider of the secrets service's hashicorp dialect, without its SDK.
for (const [name, args] of resources) {
  new Bridged("vault:identity/mfaTotp:MfaTotp", name, { ...args });
}
