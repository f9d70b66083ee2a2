import * as pulumi from "@pulumi/pulumi";
import { wanted } from "./arguments";

class Bridged extends pulumi.CustomResource {}

// Uses the bridged native provider of the secrets service's hashicorp dialect, without its SDK.
for (const [name, args] of wanted) {
  new Bridged("vault:identity/mfaTotp:MfaTotp", name, { ...args });
}
