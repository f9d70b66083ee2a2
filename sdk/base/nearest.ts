const longestName = 40;
const shortestPrefix = 3;

/** The nearest name by edit distance, or else one that is a prefix or an extension. Ignores case. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) {
    return undefined;
  }
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  const lower = name.toLowerCase();
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? [...candidates].find((candidate) => shareBeginning(lower, candidate.toLowerCase()));
}

/** Joins the problems of one object. Some end with the question whether another name was meant. */
export function joinedProblems(problems: readonly string[]): string {
  return problems.join("; ").replaceAll("?; ", "? ");
}

function shareBeginning(left: string, right: string): boolean {
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  return shorter.length >= shortestPrefix && longer.startsWith(shorter);
}

/** Damerau-Levenshtein. */
function editDistance(from: string, to: string): number {
  let former: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 1; index <= from.length; index++) {
    const next = [index];
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (from[index - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[index - 1] === to[column - 2] && from[index - 2] === to[column - 1];
      const swap = isSwap ? (former[column - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    former = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
