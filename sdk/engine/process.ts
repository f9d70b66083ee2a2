/** What the engine told its provider process when it started it; `undefined` in every other process. */
export interface ProviderProcess {
  /** Where the engine listens. */
  readonly engineAddress: string;
}

/** Recognises the engine's process for dynamic providers. */
export function providerProcess(argv: readonly string[] = process.argv): ProviderProcess | undefined {
  const [, script = "", engineAddress = ""] = argv;
  return /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/.test(script) && /:\d+$/.test(engineAddress)
    ? { engineAddress }
    : undefined;
}
