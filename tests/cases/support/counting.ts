import type { WorldSurroundings } from "./world";

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
export function placeOf(id: string): { readonly mount: string; readonly name: string } {
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
