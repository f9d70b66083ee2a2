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

/** Recognizes the engine's process for dynamic providers, and a provider plugin. */
export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  if (plugin !== undefined) {
    return plugin;
  }
  const [, script = "", engineAddress = ""] = argv;
  return /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/.test(script) && /:\d+$/.test(engineAddress)
    ? { engineAddress }
    : undefined;
}
