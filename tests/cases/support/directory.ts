import type { Inspection } from "pulumi-trivium/testing";
import type { EngineMounts, World, WorldSurroundings } from "./world";

/** A password that engines are given, which may be shown nowhere. */
export const bindPassword = "canary-bind-password-77ce";

/** The directory engine at two paths of a world, not configured. */
export async function directoryEngineIn(
  world: World,
  objects: (inspection: Inspection) => readonly object[],
): Promise<WorldSurroundings & EngineMounts> {
  return { ...world.surroundings("secrets", objects), ...(await world.secrets.mount("directory")) };
}

/** The same, configured to manage the directory, which has these accounts. */
export async function configuredEngineIn(
  world: World,
  accounts: readonly string[],
  objects: (inspection: Inspection) => readonly object[],
): Promise<WorldSurroundings & EngineMounts> {
  const engine = await directoryEngineIn(world, objects);
  const { api, directory } = world.secrets;
  const { dn: binddn, password: bindpass } = await directory.administrator();
  const userdn = await directory.base();
  for (const mount of [engine.mount, engine.otherMount]) {
    await api.write(`${mount}/config`, { binddn, bindpass, url: directory.url, userdn });
  }
  for (const account of accounts) {
    await directory.add(account);
  }
  return engine;
}
