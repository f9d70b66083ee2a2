import { setMaxListeners } from "node:events";
import type { Caller } from "../../sdk/base/caller";
import { resolveSettings } from "../../sdk/connection/resolve";
import { HttpTransport } from "../../sdk/http/http-transport";
import { ProvisioningClient, provisioningProtocol } from "../../sdk/provisioning/client";
import { SiblingLists } from "../../sdk/base/sibling-lists";
import { noOthers, type Step } from "../../sdk/resource/definition";
import { impatientClock } from "../http/clock";

/** The emulated service, or one that a test makes up. */
export interface ProvisioningServer {
  readonly provisioning: { readonly address: string; readonly token: string };
}

/** A client over real HTTP; waits between attempts take no time. */
export function clientOf(
  emulator: ProvisioningServer,
  { token = emulator.provisioning.token } = {},
  { signal = new AbortController().signal, progress = () => undefined }: Partial<Caller> = {},
): ProvisioningClient {
  // As the signal of a provider process: all its requests listen.
  setMaxListeners(0, signal);
  const environment = { PROVISIONING_ADDR: emulator.provisioning.address, PROVISIONING_TOKEN: token };
  const settings = resolveSettings({ configuration: undefined, environment }, "provisioning");
  const { saysAbsence } = provisioningProtocol;
  const transport = new HttpTransport({ ...settings, saysAbsence }, impatientClock());
  const caller = { signal, progress, announce: () => undefined };
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
    others: noOthers,
    privateState: {},
    announced,
  };
}
