import * as trivium from "pulumi-trivium";
import { projects, totpMethods, wantsProjects } from "./arguments";

// The resources of the library.
if (wantsProjects) {
  for (const [name, args] of projects()) {
    new trivium.provisioning.Project(name, args);
  }
} else {
  for (const [name, args] of totpMethods()) {
    new trivium.secrets.mfa.TotpMethod(name, args);
  }
}
