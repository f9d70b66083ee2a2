import type { Rule } from "../resource/definition";

/** Whether an argument has a value. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** What the destination type asks of the other arguments. */
export const notificationRules: readonly Rule[] = [
  {
    between: ["destinationType", "url"],
    check: ({ destinationType, url }) =>
      destinationType === "email"
        ? isGiven(url) && { argument: "url", reason: 'must not be given when destinationType is "email"' }
        : !isGiven(url) && {
            argument: "url",
            reason: `is required when destinationType is "${String(destinationType)}"`,
          },
  },
  {
    between: ["destinationType", "token"],
    check: ({ destinationType, token }) =>
      destinationType !== "generic" &&
      isGiven(token) && {
        argument: "token",
        reason: 'is for destinationType "generic" only: others are not signed',
      },
  },
  {
    between: ["destinationType", "userIds"],
    check: ({ destinationType, userIds }) =>
      destinationType !== "email" &&
      Array.isArray(userIds) &&
      userIds.length > 0 && { argument: "userIds", reason: 'is for destinationType "email" only' },
  },
];
