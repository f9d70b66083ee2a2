import { startEmulator } from "pulumi-trivium/testing";
import { allDialects, type Dialect } from "../../cases/support/case";
import { emulatedServices, emulatedTokens } from "../../cases/support/emulated-services";
import type { Need, TestServices } from "../../cases/support/test-services";

/** The services of lifecycles.test.ts. */
export interface LifecycleTarget {
  readonly title: string;
  /** Whether they are real servers, where everything that was created must be deleted. */
  readonly real: boolean;
  readonly dialects: readonly Dialect[];
  readonly patience: number;
  /** @returns the reason why it is not available */
  missing(need: Need): string | undefined;
  open(dialect: Dialect): Promise<TestServices>;
}

let target: LifecycleTarget = {
  title: "over its lifecycle",
  real: false,
  dialects: allDialects,
  patience: 120_000,
  missing: () => undefined,
  open: async (dialect) =>
    emulatedServices(
      await startEmulator({ dialect, tokens: emulatedTokens, provisioning: { uniqueProjectNames: true } }),
      { dialect, closes: true },
    ),
};

export function presentTarget(): LifecycleTarget {
  return target;
}

/** Must be called before the tests are loaded. */
export function useTarget(others: LifecycleTarget): void {
  target = others;
}
