import "../base/node-version";
import { runCommandLine } from "./run";

void runCommandLine(process.argv.slice(2), process).then((status) => {
  // process.exit() would drop output that is still in pipes.
  process.exitCode = status;
});
