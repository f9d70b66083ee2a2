import * as trivium from "pulumi-trivium";
import { resourceClass, resources } from "./arguments";

const { provisioning, secrets } = trivium;
const resourceConstructor = resourceClass === "Project" ? provisioning.Project : secrets.mfa.TotpMethod;
const Resource = resourceConstructor as new (name: string, args: object) => object;
for (const [name, args] of resources) {
  new Resource(name, args);
}
