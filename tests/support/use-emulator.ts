import { type Emulator, type EmulatorOptions, startEmulator } from "../../sdk/testing";
import { useRunning } from "./use-running";

export interface EmulatorUse extends EmulatorOptions {
  /** `false` where the tests of a suite are steps that build on each other. */
  readonly resets?: boolean;
}

/**
 * Each suite has its own emulator, which takes 5 ms, so that suites cannot affect each other.
 *
 * @returns the emulator, usable once tests run
 */
export function useEmulator({ resets = true, ...options }: EmulatorUse = {}): Emulator {
  const emulator = useRunning(
    "an emulator",
    () => startEmulator(options),
    (started) => started.close(),
  );
  if (resets) {
    beforeEach("reset the emulator", () => emulator.reset());
  }
  return emulator;
}
