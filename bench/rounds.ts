/** Something to be timed; it answers how much it has done, which has to be the same for both that are compared. */
export type Contender = () => number;

/** Rounds that do not count: code is compiled while it runs for the first times. */
const warmUps = 3;

/** The work that this process has done, on all its threads, in milliseconds. Other processes can hardly change it. */
function work(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * How fast one is in terms of another. They take turns, so that whatever else the machine does meets both alike, and
 * who begins changes with every round, since each has to clear away what the one before it has left in memory.
 *
 * @param rounds an even number gives each as many first turns as the other
 * @param now what is compared, in milliseconds; by default not time, but work: collecting garbage counts in full,
 *   also where it is done beside
 * @returns the median of the ratios within each round
 * @throws when they do not do the same
 */
export function speed(
  of: Contender,
  comparedWith: Contender,
  rounds: number,
  now: () => number = work,
): number {
  const ratios: number[] = [];
  for (let round = -warmUps; round < rounds; round++) {
    let own: Turn;
    let other: Turn;
    if (round % 2 === 0) {
      own = turn(of, now);
      other = turn(comparedWith, now);
    } else {
      other = turn(comparedWith, now);
      own = turn(of, now);
    }
    if (own.done !== other.done) {
      throw new Error(`they do not do the same: one did ${own.done}, the other ${other.done}`);
    }
    if (round >= 0) {
      ratios.push(other.duration / own.duration);
    }
  }
  return median(ratios);
}

interface Turn {
  readonly done: number;
  readonly duration: number;
}

function turn(contender: Contender, now: () => number): Turn {
  const start = now();
  const done = contender();
  return { done, duration: now() - start };
}

/** @throws when there are no values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  if (low === undefined || high === undefined) {
    throw new Error("there is no median of nothing");
  }
  return (low + high) / 2;
}
