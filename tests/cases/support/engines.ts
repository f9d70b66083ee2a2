import type { Inspection } from "pulumi-trivium/testing";
import type { EngineMounts, World, WorldSurroundings } from "./world";

/** Another spelling of a name, where the service of this dialect does not count case. */
export function inAnotherCase({ dialect }: Pick<World, "dialect">, name: string): string {
  return dialect === "hashicorp" ? name.toUpperCase() : name;
}

/** How many of these paths of the secrets service hold something. */
export async function countAt(
  { world }: WorldSurroundings,
  ids: readonly string[],
  pathOf: (id: string) => string,
): Promise<number> {
  const found = await Promise.all(ids.map((id) => world.secrets.api.read(pathOf(id))));
  return found.filter((data) => data !== undefined).length;
}

/** The mount and the name that an id says, encoded as they are in paths. */
function placeOf(id: string): { readonly mount: string; readonly name: string } {
  const end = id.lastIndexOf("/");
  return { mount: id.slice(0, end), name: id.slice(end + 1) };
}

/** Where the object with an id is in the interface of an engine. */
export function pathIn(kind: string): (id: string) => string {
  return (id) => {
    const { mount, name } = placeOf(id);
    return `${mount}/${kind}/${name}`;
  };
}

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

/** The token of a scheduler, which may be shown nowhere. */
export const managementToken = "canary-management-token-51c0";

/** The scheduler engine at two paths of a world. */
export async function schedulerEngineIn(
  world: World,
  objects: (inspection: Inspection) => readonly object[],
): Promise<WorldSurroundings & EngineMounts> {
  return { ...world.surroundings("secrets", objects), ...(await world.secrets.mount("scheduler")) };
}
