import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "../../../sdk/dynamic";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { createLifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import { providerStub } from "../../../sdk/resource/state/encoding";

/** A secret that a flawed lifecycle shows. */
export const toldSecret = "canary-told-by-a-flawed-project";

function lifecycleWith(steps: Partial<typeof projectDefinition>): dynamic.ResourceProvider {
  return dynamicProvider(createLifecycle({ ...projectDefinition, ...steps }));
}

/** @param afterwards what a creation does once it has failed */
function failing(afterwards: (...of: Parameters<typeof projectDefinition.create>) => unknown) {
  return lifecycleWith({
    create: (step, desired) =>
      projectDefinition.create(step, desired).catch(async (error: unknown) => {
        await afterwards(step, desired);
        throw error;
      }),
  });
}

/** Projects that are managed wrongly, each in one way that matters only when a request fails. */
export const flawedProjects = {
  none: () => lifecycleWith({}),
  "makes another after a failure": () =>
    failing((step, desired) => projectDefinition.create(step, { ...desired, name: `${desired.name}-twin` })),
  "says that it is deleted": () =>
    lifecycleWith({ delete: (...of) => projectDefinition.delete(...of).catch(() => undefined) }),
  "tells a secret": () => failing(() => Promise.reject(new Error(`The creation with ${toldSecret} failed.`))),
  "plans without end": () => ({ ...lifecycleWith({}), diff: () => Promise.resolve({ changes: true }) }),
} satisfies Readonly<Record<string, () => dynamic.ResourceProvider>>;

export type Flaw = keyof typeof flawedProjects;

export function flawedProvider(flaw: Flaw): string {
  const [register, here, name] = ["ts-node/register", __filename, flaw].map((text) => JSON.stringify(text));
  return `${providerStub("provisioning:Project")};exports.handler=()=>{require(${register});return require(${here}).flawedProjects[${name}]()}`;
}
