import { type Dialect, type Operator, type ResourceCase, type Traces } from "../../cases/support/case";
import { emulatedTokens } from "../../cases/support/emulated-services";
import type { ServiceName } from "../../cases/support/test-services";
import type { Properties } from "../../support/provider-process";
import type { Proxy } from "../../support/proxy";
import { prepareCase, ProxiedServices, type PreparedCase } from "../../support/services";

export interface Holdings extends Traces {
  readonly scheduler: object;
}

export interface FaultCase extends ResourceCase {
  /** The provider text in state. Default: the library's. */
  readonly provider?: string;
}

/** The services in which classes live. */
export interface FaultTarget {
  readonly dialect: Dialect;
  /** These must not be shown anywhere. */
  readonly tokens: Readonly<Record<ServiceName, string>>;
  readonly proxy: Proxy;
  /** Deletes what is left in the services. */
  readonly operator: Operator;
  /** Texts that are specific to this target, and their replacements in comparisons. */
  readonly names: Readonly<Record<string, string>>;
  /** Sets up what a class needs, without traces of an earlier run. */
  begin(faultCase: FaultCase, mark: string): Promise<PreparedCase>;
  inspect(): Promise<Holdings>;
  /** Where its secrets are found: a real service shows few, but state contains those that it returned. */
  secretsIn(kept: readonly Properties[]): Promise<unknown>;
  close(): Promise<void>;
}

export async function emulatedTarget(): Promise<FaultTarget> {
  const services = await ProxiedServices.start();
  const { emulator, proxy, receiver } = services;
  const inspect = (): Promise<Holdings> => {
    const { provisioning, secrets, scheduler } = emulator.inspect();
    const history = { frames: [], subscriptions: [] };
    return Promise.resolve({ provisioning, secrets, scheduler: { ...scheduler, ...history } });
  };
  return {
    dialect: "documented",
    tokens: emulatedTokens,
    proxy,
    operator: emulator,
    names: { [receiver.address]: "<receiver>" },
    begin(faultCase, mark) {
      emulator.reset();
      return prepareCase(emulator, receiver, faultCase, { mark });
    },
    inspect,
    secretsIn: inspect,
    close: () => services.close(),
  };
}
