import type { Command } from "./command";
import { doctorCommand } from "./doctor";
import { emulatorCommand } from "./emulator";
import { eventsCommand } from "./events";
import { importFileCommand } from "./import-file";
import { useDynamicCommand, usePluginCommand } from "./use-plugin";

/** In the order of the help text. */
export const commands: readonly Command[] = [
  doctorCommand,
  eventsCommand,
  importFileCommand,
  usePluginCommand,
  useDynamicCommand,
  emulatorCommand,
];
