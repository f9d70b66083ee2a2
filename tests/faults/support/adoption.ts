/** Whether an operation failed because something exists that it would take over if it were told to. */
export function asksToAdopt(error: unknown): boolean {
  return /\badopt\b/.test(error instanceof Error ? error.message : String(error));
}
