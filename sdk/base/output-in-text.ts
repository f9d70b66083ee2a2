/** What the SDK writes where a program puts an output into a string. */
const madeOfOutput = /Calling \[to(?:String|JSON)\] on an \[Output<T>\]/;

/** @returns `undefined` if no text in the value was made from an output */
export function problemOfOutputInText(value: unknown): string | undefined {
  return hasOutputInText(value)
    ? "contains the SDK's message about an output in a string instead of the output's value: use pulumi.interpolate or the output's apply method"
    : undefined;
}

/** Without recursion: by mistake, a program can pass a value that is very deep or contains itself. */
function hasOutputInText(value: unknown): boolean {
  const found = new Set([value]);
  for (const each of found) {
    if (typeof each === "string" && madeOfOutput.test(each)) {
      return true;
    }
    // An output would write the message itself.
    if (Array.isArray(each) || (Object(each) === each && Object.getPrototypeOf(each) === Object.prototype)) {
      Object.values(each as object).forEach((member) => found.add(member));
    }
  }
  return false;
}
