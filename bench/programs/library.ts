import * as trivium from "pulumi-trivium";
import { resourceClass, wanted } from "./arguments";

// The resources of the library.
const { provisioning, secrets } = trivium;
const constructors = {
  TotpMethod: () => secrets.mfa.TotpMethod,
  Project: () => provisioning.Project,
  NotificationConfiguration: () => provisioning.NotificationConfiguration,
};
const Resource = constructors[resourceClass]() as new (name: string, args: object) => object;
for (const [name, args] of wanted) {
  new Resource(name, args);
}
