import * as pulumi from "@pulumi/pulumi";
import { wanted } from "./arguments";

class Bridged extends pulumi.CustomResource {}

// The resources of the bridged native provider for the secrets service's hashicorp dialect, without its SDK.
for (const [name, args] of wanted) {
  new Bridged("vault:identity/mfaTotp:MfaTotp", name, { ...args });
}
