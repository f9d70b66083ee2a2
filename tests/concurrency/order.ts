/**
 * How far something is from where it should be.
 *
 * @param expected all, in the order in which they asked
 * @param actual the same, in the order in which they were served
 */
export function farthestDisplacement(expected: readonly string[], actual: readonly string[]): number {
  const places = new Map(actual.map((name, place) => [name, place]));
  return Math.max(...expected.map((name, place) => Math.abs((places.get(name) ?? Infinity) - place)));
}

/** How many others came, at most, between two appearances of the same one that follow each other. */
export function longestGap(names: readonly string[]): number {
  const last = new Map<string, number>();
  let longest = 0;
  names.forEach((name, place) => {
    longest = Math.max(longest, place - (last.get(name) ?? place - 1) - 1);
    last.set(name, place);
  });
  return longest;
}
