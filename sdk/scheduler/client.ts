import type { Transport } from "../http/transport";
import type { Caller } from "../resource/definition";

/** The scheduler's interface: its event stream. */
export class SchedulerClient {
  constructor(
    readonly transport: Transport,
    readonly caller: Caller,
    /** The namespace that is meant when nobody names one. */
    readonly namespace: string | undefined,
  ) {}
}
