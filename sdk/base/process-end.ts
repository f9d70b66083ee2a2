type Work = () => Promise<unknown>;

const works = new Map<object, Work>();

/** Runs work once before this process ends. Only the last work of each owner is kept. */
export function atProcessEnd(owner: object, work: Work): void {
  if (works.size === 0) {
    // Provider processes never get here: the engine ends them.
    process.once("beforeExit", () => void finishProcess());
  }
  works.set(owner, work);
}

export async function finishProcess(): Promise<void> {
  const all = [...works.values()];
  works.clear();
  await Promise.allSettled(all.map((work) => work()));
}
