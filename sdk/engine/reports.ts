import { providerProcess } from "./process";

let silenced = false;

/**
 * Prevents the provider process from reporting an error twice. Besides sending the error, that process prints
 * `${error}: ${error.stack}`, which the CLI shows as a separate line; for our errors only `: ` remains.
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
