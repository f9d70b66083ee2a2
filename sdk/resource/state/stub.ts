/**
 * The `__provider` input, which the engine's provider process evaluates. Neither this text nor the module it names may
 * ever change: it is in the state of users, and every version must manage the state of all earlier ones.
 */
export function providerStub(type: string): string {
  return `${stubStart}${type}")`;
}

const stubStart = 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("';

export function isProviderStub(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(stubStart);
}

/** The engine requires this package for dynamic providers. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/trivium/${type}`;
}

export function pluginToken(type: string): string {
  return `trivium:${type}`;
}
