import * as vault from "@pulumi/vault";
import { resources } from "./arguments";

// The bridged provider of the secrets service's hashicorp dialect, with its own SDK, as its users have it.
for (const [name, args] of resources) {
  new vault.identity.MfaTotp(name, args as unknown as vault.identity.MfaTotpArgs);
}
