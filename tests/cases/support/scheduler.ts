import type { Inspection } from "pulumi-trivium/testing";
import type { EngineMounts, World, WorldSurroundings } from "./world";

/** The token of a scheduler, which may be shown nowhere. */
export const managementToken = "canary-management-token-51c0";

/** The scheduler engine at two paths of a world. */
export async function schedulerEngineIn(
  world: World,
  objects: (inspection: Inspection) => readonly object[],
): Promise<WorldSurroundings & EngineMounts> {
  return { ...world.surroundings("secrets", objects), ...(await world.secrets.mount("scheduler")) };
}
