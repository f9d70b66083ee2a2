/** Who a request is made for: how it ends early and where its waits are shown. */
export interface Caller {
  /** Aborted when the user cancels. */
  readonly signal: AbortSignal;
  /** Shows against the resource in the CLI what is being waited for. */
  readonly progress: (message: string) => void;
  /** Tells the user something that stays on the screen. */
  readonly announce: (kind: "information" | "warning", message: string) => void;
}
