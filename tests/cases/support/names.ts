import type { World } from "./world";

/** Another spelling of a name, where the service of this dialect does not count case. */
export function inAnotherCase({ dialect }: Pick<World, "dialect">, name: string): string {
  return dialect === "hashicorp" ? name.toUpperCase() : name;
}
