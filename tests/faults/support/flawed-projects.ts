import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "../../../sdk/dynamic";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { createLifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import { providerStub } from "../../../sdk/resource/state/encoding";

/** A secret that some flawed lifecycles show. */
export const toldSecret = "canary-told-by-a-flawed-project";

type Definition = typeof projectDefinition;

function lifecycleWith(steps: Partial<Definition>): dynamic.ResourceProvider {
  return dynamicProvider(createLifecycle({ ...projectDefinition, ...steps }));
}

/** Projects that are managed wrongly, each in one way that matters only when a request fails. */
export const flawedProjects = {
  none: () => lifecycleWith({}),
  "makes another after a failure": () =>
    lifecycleWith({
      create: (step, desired) =>
        projectDefinition.create(step, desired).catch(async (error: unknown) => {
          await projectDefinition.create(step, { ...desired, name: `${desired.name}-twin` });
          throw error;
        }),
    }),
  "says that it is deleted": () =>
    lifecycleWith({
      delete: (step, id, known) => projectDefinition.delete(step, id, known).catch(() => undefined),
    }),
  "tells a secret": () =>
    lifecycleWith({
      create: (step, desired) =>
        projectDefinition.create(step, desired).catch((error: unknown) => {
          throw new Error(`The creation with ${toldSecret} failed.`, { cause: error });
        }),
    }),
  "plans without end": () => ({
    ...lifecycleWith({}),
    diff: () => Promise.resolve({ changes: true }),
  }),
} satisfies Readonly<Record<string, () => dynamic.ResourceProvider>>;

export type Flaw = keyof typeof flawedProjects;

export function flawedProvider(flaw: Flaw): string {
  const [register, here, name] = ["ts-node/register", __filename, flaw].map((text) => JSON.stringify(text));
  return `${providerStub("provisioning:Project")};exports.handler=()=>{require(${register});return require(${here}).flawedProjects[${name}]()}`;
}
