/**
 * The text in the `__provider` input of every resource, which the engine's provider process evaluates. It is
 * a constant, not serialized code, and lives in the state of users for years: every version must manage the
 * state of all earlier ones. Neither this text nor the module it names may ever change.
 *
 * @param type `service[/engine]:Type`, for example `provisioning:Project`
 */
export function providerStub(type: string): string {
  return `${stubStart}${type}")`;
}

const stubStart = 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("';

/** Whether a provider text is one of {@link providerStub}. */
export function isProviderStub(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(stubStart);
}

/** The type token of a dynamic resource; its package is the engine's for dynamic providers. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/trivium/${type}`;
}

/** The type token of a resource that the plugin manages. */
export function pluginToken(type: string): string {
  return `trivium:${type}`;
}
