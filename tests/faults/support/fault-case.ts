import type { ResourceCase } from "../../cases/support/case";

/** One class of resources, as the matrix runs it. */
export interface FaultCase extends ResourceCase {
  /** The provider text in state. Default: the library's. */
  readonly provider?: string;
}
