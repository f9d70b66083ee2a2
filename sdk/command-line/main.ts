import { runCommandLine } from "./run";

void runCommandLine(process.argv.slice(2), process).then((status) => {
  // Not an exit: what is still in the pipes has to arrive.
  process.exitCode = status;
});
