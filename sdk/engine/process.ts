/** The address of the engine that started the plugin. */
let engineOfPlugin: string | undefined;

export function actAsPlugin(engineAddress: string): void {
  engineOfPlugin = engineAddress;
}

const script = /[\\/]cmd[\\/]dynamic-provider([\\/]index(\.js)?)?$/;

/** Only set in a provider process. */
export function engineAddress(argv: readonly string[] = process.argv): string | undefined {
  const [, running = "", address = ""] = argv;
  return engineOfPlugin ?? (script.test(running) && /:\d+$/.test(address) ? address : undefined);
}

/** The directory of the SDK if this is its process for dynamic providers. */
export function runningSdk(argv: readonly string[] = process.argv): string | undefined {
  return engineOfPlugin === undefined && engineAddress(argv) !== undefined
    ? argv[1]?.replace(script, "")
    : undefined;
}
