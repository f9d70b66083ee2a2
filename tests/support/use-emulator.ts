import { type Emulator, type EmulatorOptions, startEmulator } from "../../sdk/testing";

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
  let running: Emulator | undefined;
  const emulator = (): Emulator => {
    if (running === undefined) {
      throw new Error("The emulator runs while tests run: use it in a test or a hook.");
    }
    return running;
  };

  before("start the emulator", async function () {
    const started = (running = await startEmulator(options));
    // The suite is complete by now, so this runs after its own hooks, which may still need the emulator.
    this.test?.parent?.afterAll("close the emulator", async () => started.close());
  });
  if (resets) {
    beforeEach("reset the emulator", () => emulator().reset());
  }

  return {
    get provisioning() {
      return emulator().provisioning;
    },
    get secrets() {
      return emulator().secrets;
    },
    get scheduler() {
      return emulator().scheduler;
    },
    get events() {
      return emulator().events;
    },
    get journal() {
      return emulator().journal;
    },
    get faults() {
      return emulator().faults;
    },
    get environment() {
      return emulator().environment;
    },
    now: () => emulator().now(),
    advance: (duration) => emulator().advance(duration),
    inspect: () => emulator().inspect(),
    reset: () => emulator().reset(),
    close: async () => emulator().close(),
  };
}
