export interface Caller {
  readonly signal: AbortSignal;
  /** Shows a line temporarily, on the resource's line in the CLI. */
  readonly progress: (message: string) => void;
  /** Shows a line permanently. */
  readonly announce: (kind: "information" | "warning", message: string) => void;
}
