/** What the SDK writes where a program puts an output into a string. */
const madeOfOutput = /Calling \[to(?:String|JSON)\] on an \[Output<T>\]/;

/** @returns `undefined` if no text in the value was made of an output */
export function problemOfOutputInText(value: unknown): string | undefined {
  return hasOutputInText(value)
    ? "has the SDK's message about an output in a string, not its value: use pulumi.interpolate, or apply of the output"
    : undefined;
}

function hasOutputInText(value: unknown): boolean {
  if (typeof value === "string") {
    return madeOfOutput.test(value);
  }
  // An output would write the message itself.
  const isPlain =
    Array.isArray(value) || (Object(value) === value && Object.getPrototypeOf(value) === Object.prototype);
  return isPlain && Object.values(value as object).some(hasOutputInText);
}
