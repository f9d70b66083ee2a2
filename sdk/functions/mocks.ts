import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../connection/provider";

/** What answers the calls of functions in a unit test: `call` of the mocks. */
type Answer = (args: pulumi.runtime.MockCallArgs) => unknown;

/**
 * What answers in place of the services when the program runs under `pulumi.runtime.setMocks`: a unit test has to
 * reach no service, least of all the one that the environment of whoever runs it happens to name. Mocks without
 * `call` have functions do their work.
 */
export function mockedAnswer(): Answer | undefined {
  // The SDK keeps to itself whether a program is mocked; the monitor of another copy is of another class.
  const monitor = pulumi.runtime.getMonitor() as
    { readonly mocks?: { readonly call?: pulumi.runtime.Mocks["call"] } } | undefined;
  const mocks = monitor?.mocks;
  return typeof mocks?.call === "function" ? (args) => mocks.call?.(args) : undefined;
}

/** How mocks are told of a function: `trivium:provisioning:getProject`, `trivium:secrets/directory:getConfig`. */
export function functionToken(name: string): string {
  const parts = name.split(".");
  return `trivium:${parts.slice(0, -1).join("/")}:${parts.at(-1) ?? ""}`;
}

// What the SDK itself tells mocks of a provider.
interface ProviderInternals {
  readonly register?: (provider: Provider) => Promise<string | undefined>;
}

/** How mocks are told of a provider: as they are for resources. */
export async function providerReference(provider: Provider | undefined): Promise<string | undefined> {
  const { register } = pulumi.ProviderResource as unknown as ProviderInternals;
  return provider === undefined ? undefined : register?.(provider);
}
