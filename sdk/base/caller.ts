/** The caller of a request: cancellation and progress. */
export interface Caller {
  /** Aborted when the user cancels. */
  readonly signal: AbortSignal;
  /** Shows what is being waited for on the resource's line in the CLI. */
  readonly progress: (message: string) => void;
  /** Shows a line that stays on the screen. */
  readonly announce: (kind: "information" | "warning", message: string) => void;
}
