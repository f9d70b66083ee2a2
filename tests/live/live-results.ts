import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Adapter } from "../engine/support/adapter";

/** What one class has passed with one adapter on one set of products. */
export interface LiveResult {
  readonly class: string;
  readonly adapter: Adapter;
  /** With their versions: `OpenBao 2.6.2`. */
  readonly products: readonly string[];
  readonly date: string;
  readonly passed: number;
  readonly leftOut: number;
}

const file = join(__dirname, "results.json");

export function readLiveResults(): readonly LiveResult[] {
  return JSON.parse(readFileSync(file, "utf8")) as readonly LiveResult[];
}

/** Replaces the former results of the same classes, adapters and products. */
export function addLiveResults(results: readonly LiveResult[]): void {
  const key = (result: LiveResult): string => JSON.stringify([result.class, result.adapter, result.products]);
  const all = new Map([...readLiveResults(), ...results].map((result) => [key(result), result]));
  const sorted = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, result]) => result);
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
