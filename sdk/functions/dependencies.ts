import * as pulumi from "@pulumi/pulumi";
import { internalsOf } from "../connection/program";

// The SDK does not expose the children of a component.
interface ComponentInternals {
  readonly __childResources?: ReadonlySet<pulumi.Resource>;
}

/** In a preview, the id of a resource that does not exist yet makes the result unknown. */
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
  if (pulumi.CustomResource.isInstance(resource)) {
    return [resource];
  }
  const { __childResources: children = new Set<pulumi.Resource>() } = resource as ComponentInternals;
  return [...children].flatMap(customResources);
}
