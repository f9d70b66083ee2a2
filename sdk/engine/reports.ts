import { providerProcess } from "./process";

let silenced = false;

/**
 * Keeps the engine's provider process from reporting an error twice. Beside sending it, that process prints
 * `${error}: ${error.stack}`, which the CLI shows as a line of its own; of our errors nothing is left of it but
 * `: `.
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
