import { startEmulator } from "pulumi-trivium/testing";
import { allDialects, type Dialect } from "../../cases/support/case";
import { emulatedTokens, worldOn } from "../../cases/support/emulated-world";
import type { Need, World } from "../../cases/support/world";

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

/** A world that an emulator of its own plays. */
export async function emulatedWorld(dialect: Dialect): Promise<World> {
  const emulator = await startEmulator({ dialect, tokens: emulatedTokens });
  const world = worldOn(emulator, { dialect });
  const close = async (): Promise<void> => {
    await world.close();
    await emulator.close();
  };
  return {
    ...world,
    close,
    surroundings: (service, objects) => ({ ...world.surroundings(service, objects), close }),
  };
}
