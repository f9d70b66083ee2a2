import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../connection/provider";

type FunctionMock = (args: pulumi.runtime.MockCallArgs) => unknown;

/** With mocks, a unit test must not reach a configured service. Mocks without `call` do not replace functions. */
export function functionMock(): FunctionMock | undefined {
  // The SDK does not expose whether a program is mocked, and each copy of it has its own monitor class.
  const monitor = pulumi.runtime.getMonitor() as
    { readonly mocks?: { readonly call?: pulumi.runtime.Mocks["call"] } } | undefined;
  const mocks = monitor?.mocks;
  return typeof mocks?.call === "function" ? (args) => mocks.call?.(args) : undefined;
}

/** For mocks: `trivium:provisioning:getProject`, `trivium:secrets/directory:getConfig`. */
export function functionToken(name: string): string {
  const parts = name.split(".");
  return `trivium:${parts.slice(0, -1).join("/")}:${parts.at(-1) ?? ""}`;
}

// The SDK itself passes this reference to mocks of resources.
interface ProviderInternals {
  readonly register?: (provider: Provider) => Promise<string | undefined>;
}

export async function providerReference(provider: Provider | undefined): Promise<string | undefined> {
  const { register } = pulumi.ProviderResource as unknown as ProviderInternals;
  return provider === undefined ? undefined : register?.(provider);
}
