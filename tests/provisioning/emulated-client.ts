import { setMaxListeners } from "node:events";
import { resolveSettings } from "../../sdk/connection/resolve";
import { HttpTransport } from "../../sdk/http/http-transport";
import { ProvisioningClient } from "../../sdk/provisioning/client";
import { SiblingLists } from "../../sdk/provisioning/sibling-lists";
import type { Step } from "../../sdk/resource/definition";
import { impatientClock } from "../http/clock";

export interface ClientOptions {
  /** Default: the service's own token, which may do everything. */
  readonly token?: string;
  /** Ids that the user declares to be gone. */
  readonly assumedGone?: readonly string[];
  readonly signal?: AbortSignal;
  readonly progress?: (message: string) => void;
}

/** The emulated service, or one that a test makes up. */
export interface ProvisioningServer {
  readonly provisioning: { readonly address: string; readonly token: string };
}

/** A client over real HTTP; waits between attempts take no time. */
export function clientOf(emulator: ProvisioningServer, options: ClientOptions = {}): ProvisioningClient {
  const { token = emulator.provisioning.token, assumedGone = [] } = options;
  const { signal = new AbortController().signal, progress = () => undefined } = options;
  // As the signal of a provider process: all its requests listen.
  setMaxListeners(0, signal);
  const environment = { PROVISIONING_ADDR: emulator.provisioning.address, PROVISIONING_TOKEN: token };
  const resolved = resolveSettings({ configuration: undefined, environment }, "provisioning");
  const transport = new HttpTransport(resolved, impatientClock());
  const caller = { signal, progress, announce: () => undefined };
  const settings = { ...resolved, assumedGone: new Set(assumedGone) };
  return new ProvisioningClient(transport, caller, settings, new SiblingLists());
}

/** A step of a lifecycle, and what it announces. */
export function stepOn(
  server: ProvisioningServer,
): Step<ProvisioningClient> & { readonly announced: string[] } {
  const announced: string[] = [];
  return {
    client: clientOf(server),
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: (kind, message) => announced.push(`${kind}: ${message}`),
    managed: new Set(),
    privateState: {},
    announced,
  };
}
