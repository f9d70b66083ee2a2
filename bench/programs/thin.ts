import * as pulumi from "@pulumi/pulumi";
import { resourceClass, wanted } from "./arguments";

/** A dynamic resource without serialized code: what manages it is a module that a constant text names. */
class Thin extends pulumi.CustomResource {}

for (const [name, args] of wanted) {
  new Thin(`pulumi-nodejs:dynamic/thin:${resourceClass}`, name, {
    ...args,
    __provider: `exports.handler=()=>require("./thin-provider").${resourceClass}`,
  });
}
