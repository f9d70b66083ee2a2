const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs an action that leaves something behind unless it can clean up. A signal to this process aborts the
 * action; once that has settled, the signal takes the effect that it would have had at first. A second
 * signal ends the process at once.
 */
export async function interruptible<Result>(
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals): void => {
    received = signal;
    controller.abort(new Error(`interrupted by ${signal}`));
  };
  for (const signal of signals) {
    process.once(signal, interrupt);
  }
  try {
    return await action(controller.signal);
  } finally {
    for (const signal of signals) {
      process.off(signal, interrupt);
    }
    if (received !== undefined) {
      process.kill(process.pid, received);
    }
  }
}
