import * as pulumi from "@pulumi/pulumi";
import { resourceClass, wanted } from "./arguments";

class Plugged extends pulumi.CustomResource {}

// The resources of the library's provider plugin, without an SDK.
const types = {
  TotpMethod: "trivium:secrets/mfa:TotpMethod",
  Project: "trivium:provisioning:Project",
  NotificationConfiguration: "trivium:provisioning:NotificationConfiguration",
};
for (const [name, args] of wanted) {
  new Plugged(types[resourceClass], name, { ...args });
}
