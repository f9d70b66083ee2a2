/** What the engine told its provider process when it started it; `undefined` in every other process. */
export interface ProviderProcess {
  /** Where the engine listens. */
  readonly engineAddress: string;
}

let plugin: ProviderProcess | undefined;

/** Makes this process known as a provider plugin, which the engine started with its address. */
export function actAsPlugin(engineAddress: string): void {
  plugin = { engineAddress };
}

/** Recognises the engine's process for dynamic providers, and a provider plugin. */
export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  if (plugin !== undefined) {
    return plugin;
  }
  const [, script = "", engineAddress = ""] = argv;
  return /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/.test(script) && /:\d+$/.test(engineAddress)
    ? { engineAddress }
    : undefined;
}
