import { providerProcess } from "./process";

let silenced = false;

/**
 * The provider process sends an error and also prints `${error}: ${error.stack}`. For our errors only `: ` remains,
 * which the CLI would show as a separate line.
 */
export function silenceEmptyReports(): void {
  if (silenced || providerProcess() === undefined) {
    return;
  }
  silenced = true;
  const print = console.error.bind(console);
  console.error = (...parts: unknown[]) => {
    if (parts.length !== 1 || parts[0] !== ": ") {
      print(...parts);
    }
  };
}
