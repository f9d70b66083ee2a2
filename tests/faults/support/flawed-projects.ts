import type { dynamic } from "@pulumi/pulumi";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { createLifecycle } from "../../../sdk/resource/lifecycle";

/** What the flawed lifecycles tell that should not. */
export const toldSecret = "canary-told-by-a-flawed-project";

const { create, read, update, delete: remove } = projectDefinition;

/** Projects that are managed wrongly, each in one way that counts only when a request fails. */
export const flawedProjects = {
  none: () => createLifecycle(projectDefinition),
  "does not look for what it may have made": () => createLifecycle({ ...projectDefinition, find: undefined }),
  "makes another after a failure": () =>
    createLifecycle({
      ...projectDefinition,
      create: (step, desired) =>
        create(step, desired).catch(async (error: unknown) => {
          await create(step, { ...desired, name: `${desired.name}-twin` });
          throw error;
        }),
    }),
  "says that it is deleted": () =>
    createLifecycle({
      ...projectDefinition,
      delete: (step, id, known) => remove(step, id, known).catch(() => undefined),
    }),
  "says that it is gone": () =>
    createLifecycle({
      ...projectDefinition,
      read: (step, id, known) => read(step, id, known).catch(() => undefined),
    }),
  "says that it is updated": () =>
    createLifecycle({
      ...projectDefinition,
      update: (step, id, desired, changed, known) =>
        update(step, id, desired, changed, known).catch(() => ({ ...known, name: desired.name })),
    }),
  "fails without a message": () =>
    createLifecycle({
      ...projectDefinition,
      create: (step, desired) =>
        create(step, desired).catch((error: unknown) => {
          throw new TypeError("undefined is not a function", { cause: error });
        }),
    }),
  "tells a secret": () =>
    createLifecycle({
      ...projectDefinition,
      create: (step, desired) =>
        create(step, desired).catch((error: unknown) => {
          throw new Error(`The creation with ${toldSecret} failed.`, { cause: error });
        }),
    }),
  "keeps a secret in clear": () =>
    createLifecycle({
      ...projectDefinition,
      create: async (step, desired) => ({ ...(await create(step, desired)), memory: { toldSecret } }),
    }),
  "plans without end": () => ({
    ...createLifecycle(projectDefinition),
    diff: () => Promise.resolve({ changes: true }),
  }),
} satisfies Readonly<Record<string, () => dynamic.ResourceProvider>>;

/** One of them. */
export type Flaw = keyof typeof flawedProjects;

/** The provider text of one of them. */
export function flawedProvider(flaw: Flaw): string {
  const [register, here, name] = ["ts-node/register", __filename, flaw].map((text) => JSON.stringify(text));
  return `exports.handler=()=>{require(${register});return require(${here}).flawedProjects[${name}]()}`;
}
