import { shortestSecret } from "../../../sdk/base/redactor";

/**
 * Whether a text that may be shown nowhere can be looked for: a short one, or one that is a word, such as the token
 * `root` of a server for development, stands in what is printed anyway.
 */
export function isRecognizable(secret: string): boolean {
  return secret.length >= shortestSecret && !/^\p{L}+$/u.test(secret);
}
