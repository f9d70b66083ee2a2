import type { Command } from "./command";
import { emulatorCommand } from "./emulator";
import { eventsCommand } from "./events";

/** All commands, in the order in which they are shown. */
export const commands: readonly Command[] = [eventsCommand, emulatorCommand];
