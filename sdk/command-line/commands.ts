import type { Command } from "./command";
import { doctorCommand } from "./doctor";
import { emulatorCommand } from "./emulator";
import { eventsCommand } from "./events";
import { importFileCommand } from "./import-file";
import { useDynamicCommand, usePluginCommand } from "./use-plugin";

/** All commands, in the order in which they are shown. */
export const commands: readonly Command[] = [
  doctorCommand,
  eventsCommand,
  importFileCommand,
  usePluginCommand,
  useDynamicCommand,
  emulatorCommand,
];
