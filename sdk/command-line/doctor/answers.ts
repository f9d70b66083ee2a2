import { wordsOf } from "../../http/error-body";
import type { Answer } from "../../http/transport";

/** What a service said in an answer, in one line for people; nothing when it had no words. */
export function sayingOf({ body }: Pick<Answer, "body">): string {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
  return wordsOf(Buffer.from(text)).join("; ");
}

/** An answer that was not expected, for people: `answered with 500: no leader`. */
export function describeAnswer(answer: Pick<Answer, "status" | "body">): string {
  const saying = sayingOf(answer);
  return `answered with ${answer.status}${saying === "" ? "" : `: ${saying}`}`;
}

/** The code of an answer, for programs. */
export function codeOf({ status }: Pick<Answer, "status">): string {
  return `HTTP_${status}`;
}

/** A time for people and for programs: `2 days`, `3 hours`, `1 minute`. */
export function inWords(seconds: number): string {
  const [unit, size] =
    seconds >= 172_800
      ? (["day", 86_400] as const)
      : seconds >= 7_200
        ? (["hour", 3_600] as const)
        : seconds >= 120
          ? (["minute", 60] as const)
          : (["second", 1] as const);
  return counted(Math.floor(seconds / size), unit);
}

/** `1 project`, `2 projects`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `a, b and c`. */
export function listed(items: readonly string[], last = "and"): string {
  const end = items.at(-1) ?? "";
  return items.length < 2 ? end : `${items.slice(0, -1).join(", ")} ${last} ${end}`;
}
