import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../connection/provider";

/** The mock of functions in a unit test: `call` of the mocks. */
type FunctionMock = (args: pulumi.runtime.MockCallArgs) => unknown;

/**
 * The mock that replaces the services when the program runs under `pulumi.runtime.setMocks`: a unit test must
 * not reach a service that happens to be configured in its environment. Without `call` in the mocks,
 * functions make their requests.
 */
export function functionMock(): FunctionMock | undefined {
  // The SDK does not expose whether a program is mocked, and the monitor of another copy has another class.
  const monitor = pulumi.runtime.getMonitor() as
    { readonly mocks?: { readonly call?: pulumi.runtime.Mocks["call"] } } | undefined;
  const mocks = monitor?.mocks;
  return typeof mocks?.call === "function" ? (args) => mocks.call?.(args) : undefined;
}

/**
 * The token of a function for mocks: `trivium:provisioning:getProject`,
 * `trivium:secrets/directory:getConfig`.
 */
export function functionToken(name: string): string {
  const parts = name.split(".");
  return `trivium:${parts.slice(0, -1).join("/")}:${parts.at(-1) ?? ""}`;
}

// What the SDK itself passes to mocks about a provider.
interface ProviderInternals {
  readonly register?: (provider: Provider) => Promise<string | undefined>;
}

/** The reference to a provider for mocks, as for resources. */
export async function providerReference(provider: Provider | undefined): Promise<string | undefined> {
  const { register } = pulumi.ProviderResource as unknown as ProviderInternals;
  return provider === undefined ? undefined : register?.(provider);
}
