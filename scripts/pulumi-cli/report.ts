/** Takes one line of progress for the person who waits. */
export type Report = (line: string) => void;

/** Reports that a step begins, and then how long it took or why it failed. */
export async function timed<Result>(
  report: Report,
  step: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const start = performance.now();
  report(`${step} ...`);
  try {
    const result = await action();
    report(`... done in ${inWords(performance.now() - start)}`);
    return result;
  } catch (error) {
    report(`... failed: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
}

function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
