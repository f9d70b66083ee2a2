import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";

/** An emulator for the tests of the suite that calls it, to which the environment points. */
export function useEmulator(dialect: "documented" | "hashicorp"): {
  readonly emulator: Emulator;
  surround(more: Readonly<Record<string, string>>): void;
} {
  let started: Emulator | undefined;
  const running = (): Emulator => {
    if (started === undefined) {
      throw new Error("The emulator is not there yet.");
    }
    return started;
  };
  before(async () => {
    started = await startEmulator({ dialect });
  });
  beforeEach(() => running().reset());
  useEnvironment(() => running().environment);
  after(async () => running().close());
  return {
    get emulator() {
      return running();
    },
    surround(more) {
      for (const [name, value] of Object.entries(more)) {
        process.env[name] = value;
      }
    },
  };
}
