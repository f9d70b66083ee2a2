import { emulatedWorld } from "./emulated-world";
import { allDialects, type Dialect } from "./lifecycle-case";
import type { Need, World } from "./world";

/** Where the cases of this process run. */
export interface Worlds {
  /** Ends the titles of the suites. */
  readonly title: string;
  /** Whether real servers play them: what is made there has to be deleted whatever happens. */
  readonly real: boolean;
  /** In which dialects each case runs unless it says otherwise. */
  readonly dialects: readonly Dialect[];
  /** Milliseconds for one step of a case. */
  readonly patience: number;
  /** Why something cannot be had; `undefined` if it can. */
  missing(need: Need): string | undefined;
  open(dialect: Dialect): Promise<World>;
}

let worlds: Worlds = {
  title: "over its life",
  real: false,
  dialects: allDialects,
  patience: 120_000,
  missing: () => undefined,
  open: emulatedWorld,
};

/** Where the cases run that are described from now on. */
export function presentWorlds(): Worlds {
  return worlds;
}

/** Has all cases run elsewhere; called before they are loaded. */
export function useWorlds(others: Worlds): void {
  worlds = others;
}
