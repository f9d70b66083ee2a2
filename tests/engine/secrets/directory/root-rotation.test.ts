import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import {
  bindPassword,
  configureBoth,
  directoryEngine,
  otherMount,
  secretsToken,
  surroundingsOf,
} from "./surroundings";

let emulator: Emulator;

describeLifecycle({
  className: "secrets.directory.RootRotation",
  type: "pulumi-nodejs:dynamic/trivium/secrets/directory:RootRotation",
  async prepare() {
    emulator = await directoryEngine();
    await configureBoth(emulator);
    return surroundingsOf(emulator, () =>
      emulator.inspect().secrets.directoryConfigs.filter((each) => each.lastBindPasswordRotation !== null),
    );
  },
  declare: (name, args, options) => new trivium.secrets.directory.RootRotation(name, args, options),
  valid: () => ({ triggers: { quarter: "2026-1", urgent: false } }),
  spellings: { triggers: { urgent: false, quarter: "2026-1" } },
  changes: [
    { argument: "triggers", to: { quarter: "2026-2" } },
    { argument: "mount", to: otherMount, replaces: true },
  ],
  cleared: ["triggers"],
  adopt: false,
  // A password that was rotated stays so.
  remains: {},
  canaries: [secretsToken, bindPassword],
});
