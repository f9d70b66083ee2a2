/** Arguments of a provider process; `undefined` in every other process. */
export interface ProviderProcess {
  readonly engineAddress: string;
}

let plugin: ProviderProcess | undefined;

export function actAsPlugin(engineAddress: string): void {
  plugin = { engineAddress };
}

const script = /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/;

export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  if (plugin !== undefined) {
    return plugin;
  }
  const [, running = "", engineAddress = ""] = argv;
  return script.test(running) && /:\d+$/.test(engineAddress) ? { engineAddress } : undefined;
}

/** The directory of the SDK if this is its process for dynamic providers. */
export function runningSdk(argv: readonly string[] = process.argv): string | undefined {
  return plugin === undefined && providerProcess(argv) !== undefined
    ? argv[1]?.replace(script, "")
    : undefined;
}
