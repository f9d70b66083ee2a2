import type * as pulumi from "@pulumi/pulumi";
import { programSources, sourcesOf } from "../../connection/program";
import { inheritedProvider, Provider } from "../../connection/provider";
import type { Sources } from "../../connection/sources";
import { internalsOf } from "../../engine/program";

/** `undefined` if the settings of the provider are not known yet. */
export async function sourcesFor(provider: unknown): Promise<Sources | undefined> {
  if (provider === undefined) {
    return programSources();
  }
  const settings = Provider.isInstance(provider) ? internalsOf(provider.settings) : undefined;
  return settings !== undefined && (await settings.isKnown) ? sourcesOf(await settings.promise()) : undefined;
}

export function sourcesOfResource(resource: pulumi.Resource): Promise<Sources | undefined> {
  return sourcesFor(inheritedProvider(resource));
}
