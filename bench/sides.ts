import { join } from "node:path";
import { directoriesOnPath, isExecutable } from "../scripts/programs";

/** What can provide the resources that are compared. */
export interface Side {
  /** What rows call it. */
  readonly title: string;
  /** The file in `programs` that declares the resources. */
  readonly program: string;
  /** A provider plugin that has to be on PATH. */
  readonly plugin?: string;
}

export type SideName = "library" | "thin" | "closures" | "bridged" | "plugin";

/** To compare with something else, add it here and to the comparisons in `operations.ts`. */
export const sides: Readonly<Record<SideName, Side>> = {
  library: { title: "the library", program: "library" },
  thin: { title: "thin", program: "thin" },
  closures: { title: "serialized functions", program: "closures" },
  bridged: { title: "the bridged provider", program: "bridged", plugin: "pulumi-resource-vault" },
  plugin: { title: "the plugin", program: "plugin" },
};

/** Why a side cannot be measured here; `undefined` when it can. */
export function missing({ plugin }: Side): string | undefined {
  const isThere =
    plugin === undefined ||
    directoriesOnPath(process.env).some((directory) => isExecutable(join(directory, plugin)));
  return isThere ? undefined : `${plugin} is not on PATH`;
}
