import { startEmulator } from "pulumi-trivium/testing";
import { allDialects, type Dialect } from "../../cases/support/case";
import { emulatedTokens, worldOn } from "../../cases/support/emulated-world";
import type { Need, World } from "../../cases/support/world";

export interface Worlds {
  readonly title: string;
  /** Whether they are real servers, where everything that was created must be deleted. */
  readonly real: boolean;
  readonly dialects: readonly Dialect[];
  readonly patience: number;
  /** @returns the reason why it is not available */
  missing(need: Need): string | undefined;
  /** @param count how many, whose objects are told apart; one on real servers */
  open(dialect: Dialect, count: number): Promise<readonly World[]>;
}

let worlds: Worlds = {
  title: "over its life",
  real: false,
  dialects: allDialects,
  patience: 120_000,
  missing: () => undefined,
  open: emulatedWorlds,
};

/** Applies to cases that are described from now on. */
export function presentWorlds(): Worlds {
  return worlds;
}

/** Must be called before the cases are loaded. */
export function useWorlds(others: Worlds): void {
  worlds = others;
}

/** Several use one emulator. */
async function emulatedWorlds(dialect: Dialect, count: number): Promise<readonly World[]> {
  const emulator = await startEmulator({ dialect, tokens: emulatedTokens });
  const marks = count === 1 ? [undefined] : Array.from({ length: count }, (_, index) => `mark${index + 1}q`);
  return marks.map((mark) =>
    worldOn(emulator, {
      dialect,
      closes: true,
      others: marks.flatMap((each) => (each === mark || each === undefined ? [] : [each])),
      ...(mark === undefined ? {} : { mark }),
    }),
  );
}
