import type { FaultCase } from "./fault-case";
import type { Laboratory } from "./laboratory";
import { definitions } from "./one-resource-stack";
import { Life, type OperationName, operations, type Picture } from "./life";

/** How a life goes when nothing happens, to compare with. */
export interface CleanLife {
  /** The requests of each operation, as `GET /v1/ldap/config`. */
  readonly requests: Readonly<Record<OperationName, readonly string[]>>;
  /** After each operation, with a refresh after it, and with the destruction after that. */
  readonly pictures: Readonly<Record<OperationName, Pictures>>;
  /** The same for the creation after one that nobody remembers. */
  readonly forgotten: Pictures;
}

/** At three moments. */
export interface Pictures {
  readonly done: Picture;
  readonly refreshed: Picture;
  readonly destroyed: Picture;
}

/** Lives a life for each operation without any fault. */
export async function liveCleanly(laboratory: Laboratory, faultCase: FaultCase): Promise<CleanLife> {
  const requests: Partial<Record<OperationName, readonly string[]>> = {};
  const pictures: Partial<Record<OperationName, Pictures>> = {};
  for (const operation of operationsOf(faultCase)) {
    const seen = await observe(laboratory, faultCase, operation);
    requests[operation] = seen.requests;
    pictures[operation] = seen.pictures;
  }
  const forgotten =
    faultCase.forgets === true
      ? (await observe(laboratory, faultCase, "create", true)).pictures
      : pictures.create;
  await laboratory.takeShown();
  return { requests, pictures, forgotten } as CleanLife;
}

/** What can be done to a resource of a class. */
export function operationsOf({ type, provider }: FaultCase): readonly OperationName[] {
  if (provider !== undefined) {
    // One that is flawed on purpose, which need not know how to refuse what exists.
    return operations.filter((operation) => !operation.startsWith("rename"));
  }
  const adopts = definitions.get(type)?.arguments.adopt !== undefined;
  return operations.filter((operation) => adopts || operation !== "rename with adopt");
}

async function observe(
  laboratory: Laboratory,
  faultCase: FaultCase,
  operation: OperationName,
  afterForgottenCreation = false,
): Promise<{ readonly requests: readonly string[]; readonly pictures: Pictures }> {
  const life = await Life.begin(laboratory, faultCase);
  await life.before(operation);
  if (afterForgottenCreation) {
    await life.operate("create");
    life.stack.forget();
  }
  const requests = (await life.requestsOf(operation)).map(({ method, path }) => `${method} ${path}`);
  const done = await life.picture();
  await life.stack.refresh();
  const refreshed = await life.picture();
  await life.stack.destroy();
  return { requests, pictures: { done, refreshed, destroyed: await life.picture() } };
}
