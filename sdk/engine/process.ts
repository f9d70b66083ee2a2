/** What the engine passed to its provider process at the start; `undefined` in every other process. */
export interface ProviderProcess {
  /** The address of the engine. */
  readonly engineAddress: string;
}

let plugin: ProviderProcess | undefined;

/** Marks this process as a provider plugin that the engine started. */
export function actAsPlugin(engineAddress: string): void {
  plugin = { engineAddress };
}

const script = /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/;

/** Recognizes the engine's process for dynamic providers, and a provider plugin. */
export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  if (plugin !== undefined) {
    return plugin;
  }
  const [, running = "", engineAddress = ""] = argv;
  return script.test(running) && /:\d+$/.test(engineAddress) ? { engineAddress } : undefined;
}

/** The directory of the SDK whose process for dynamic providers this is; `undefined` in every other process. */
export function runningSdk(argv: readonly string[] = process.argv): string | undefined {
  return plugin === undefined && providerProcess(argv) !== undefined
    ? argv[1]?.replace(script, "")
    : undefined;
}
