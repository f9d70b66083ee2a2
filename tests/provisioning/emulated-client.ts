import { setMaxListeners } from "node:events";
import { resolveSettings } from "../../sdk/connection/resolve";
import { HttpTransport } from "../../sdk/http/http-transport";
import { ProvisioningClient } from "../../sdk/provisioning/client";
import { SiblingLists } from "../../sdk/provisioning/sibling-lists";
import { impatientClock } from "../http/clock";

/** What differs from an ordinary client. */
export interface ClientOptions {
  /** Default: the service's own token, which may do everything. */
  readonly token?: string;
  /** Ids that the user declares to be gone. */
  readonly assumedGone?: readonly string[];
  readonly signal?: AbortSignal;
  readonly progress?: (message: string) => void;
}

/** A provisioning service: the emulated one, or one that a test makes up. */
export interface Surroundings {
  readonly provisioning: { readonly address: string; readonly token: string };
}

/** A client of the emulated service, over real HTTP; waits between attempts take no time. */
export function clientOf(emulator: Surroundings, options: ClientOptions = {}): ProvisioningClient {
  const { token = emulator.provisioning.token, assumedGone = [] } = options;
  const { signal = new AbortController().signal, progress = () => undefined } = options;
  // As the signal of a provider process: all its requests listen.
  setMaxListeners(0, signal);
  const environment = { PROVISIONING_ADDR: emulator.provisioning.address, PROVISIONING_TOKEN: token };
  const settings = resolveSettings({ configuration: undefined, environment }, "provisioning");
  const transport = new HttpTransport(settings, impatientClock());
  return new ProvisioningClient(
    transport,
    { signal, progress, announce: () => undefined },
    {
      dialect: "documented",
      assumedGone: new Set(assumedGone),
      lists: new SiblingLists(),
      requestTimeoutMilliseconds: undefined,
    },
  );
}
