type Work = () => Promise<unknown>;

const works = new Map<object, Work>();

/** Has something done once before this process ends. Work for the same owner replaces the former one. */
export function atProcessEnd(owner: object, work: Work): void {
  if (works.size === 0) {
    // A provider process is ended by the engine instead.
    process.once("beforeExit", () => void finishProcess());
  }
  works.set(owner, work);
}

/** Does what has to be done before the process ends. */
export async function finishProcess(): Promise<void> {
  const all = [...works.values()];
  works.clear();
  await Promise.allSettled(all.map((work) => work()));
}
