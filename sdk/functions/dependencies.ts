import * as pulumi from "@pulumi/pulumi";
import { childrenOf, internalsOf } from "../engine/program";

/** In a preview, the ID of a resource that does not exist yet makes the result unknown. */
export function idsOf(args: pulumi.Inputs, dependsOn: pulumi.Input<unknown>): pulumi.Output<unknown> {
  const ids = async (): Promise<pulumi.Output<unknown>[]> => {
    const [given, named] = [internalsOf(pulumi.output(args)), internalsOf(pulumi.output(dependsOn))];
    const resources = [await named.promise()].flat().filter((value) => pulumi.Resource.isInstance(value));
    // Those that an output in `dependsOn` depends on count too.
    const all = new Set([...resources, ...(await given.allResources()), ...(await named.allResources())]);
    return [...all].flatMap(customResources).map((resource) => resource.id);
  };
  return pulumi.output(ids());
}

function customResources(resource: pulumi.Resource): pulumi.CustomResource[] {
  return pulumi.CustomResource.isInstance(resource)
    ? [resource]
    : childrenOf(resource).flatMap(customResources);
}
