import * as pulumi from "@pulumi/pulumi";
import { resourceClass, resources } from "./arguments";

/** A dynamic resource without serialized code: a constant string names its provider's module. */
class Thin extends pulumi.CustomResource {}

for (const [name, args] of resources) {
  new Thin(`pulumi-nodejs:dynamic/thin:${resourceClass}`, name, {
    ...args,
    __provider: `exports.handler=()=>require("./thin-provider").${resourceClass}`,
  });
}
