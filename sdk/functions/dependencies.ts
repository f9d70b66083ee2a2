import * as pulumi from "@pulumi/pulumi";

// The SDK does not expose the resources of an output, or the children of a component.
interface OutputInternals {
  readonly allResources?: () => Promise<ReadonlySet<pulumi.Resource>>;
  readonly promise?: () => Promise<unknown>;
}
interface ComponentInternals {
  readonly __childResources?: ReadonlySet<pulumi.Resource>;
}

/** In a preview, the id of a resource that does not exist yet makes the result unknown. */
export function idsOf(args: pulumi.Inputs, dependsOn: pulumi.Input<unknown>): pulumi.Output<unknown> {
  const ids = async (): Promise<pulumi.Output<unknown>[]> => {
    const resources = new Set([
      ...(await resourcesOf(pulumi.output(args))),
      ...(await resourcesNamed(pulumi.output(dependsOn))),
    ]);
    return [...resources].flatMap(customResources).map((resource) => resource.id);
  };
  return pulumi.output(ids());
}

async function resourcesOf(output: unknown): Promise<Iterable<pulumi.Resource>> {
  return (await (output as OutputInternals).allResources?.()) ?? [];
}

/** Includes the resources that the output itself depends on. */
async function resourcesNamed(output: unknown): Promise<pulumi.Resource[]> {
  const named = [await (output as OutputInternals).promise?.()].flat();
  return [...named.filter((value) => pulumi.Resource.isInstance(value)), ...(await resourcesOf(output))];
}

function customResources(resource: pulumi.Resource): pulumi.CustomResource[] {
  if (pulumi.CustomResource.isInstance(resource)) {
    return [resource];
  }
  const { __childResources: children = new Set<pulumi.Resource>() } = resource as ComponentInternals;
  return [...children].flatMap(customResources);
}
