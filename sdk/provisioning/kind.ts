import type * as Zod from "zod";
import { builtOnce } from "../base/validation";
import type { Validation } from "../base/validation";
import type { ProvisioningDialect } from "./dialect";

/** One kind of resource object: its JSON:API types, and what an object of that kind looks like in an answer. */
export interface ResourceKind<Shape extends Zod.ZodType = Zod.ZodType> {
  /** The types that its objects may have in an answer. */
  readonly types: readonly [string, ...string[]];
  /** Reads a resource object; members that it does not name are ignored. */
  readonly shape: (z: Validation, dialect: ProvisioningDialect) => Shape;
}

/** What an object of a kind is once it has been read. */
export type ObjectOf<Kind extends ResourceKind> = Zod.output<ReturnType<Kind["shape"]>>;

/** States a kind of resource object. */
export function resourceKind<Shape extends Zod.ZodType>(
  type: string,
  shape: (z: Validation, dialect: ProvisioningDialect) => Shape,
): ResourceKind<Shape> {
  return { types: [type], shape: builtOnce(shape) };
}
