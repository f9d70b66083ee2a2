import * as trivium from "pulumi-trivium";
import { resourceClass, wanted } from "./arguments";

const { provisioning, secrets } = trivium;
const named = resourceClass === "Project" ? provisioning.Project : secrets.mfa.TotpMethod;
const Resource = named as new (name: string, args: object) => object;
for (const [name, args] of wanted) {
  new Resource(name, args);
}
