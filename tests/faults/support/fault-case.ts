import type { Emulator, Inspection } from "pulumi-trivium/testing";
import type { Properties } from "../../support/provider-process";

/** One class of resources, as the matrix runs it. */
export interface FaultCase {
  /** As in state: `provisioning:Project`. */
  readonly type: string;
  /**
   * Sets up what the resource needs and says what the program declares.
   *
   * @param mark part of every name, and another one in each run, as a process remembers what it was asked about
   */
  prepare(world: World, mark: string): Promise<Declared> | Declared;
  /**
   * The same, for a creation whose process was killed after the service had acted: what was there before is known to
   * nobody then, so the creation after that ends as one that finds everything done. Default: it makes no difference.
   */
  readonly prepareForgotten?: FaultCase["prepare"];
  /** What an operation can do without, so that it succeeds although the request for it fails. Default: nothing. */
  readonly dispensable?: {
    /** What state may remember without it, in `__memory`. */
    readonly memory: Properties;
    /** How the user is told of it then. */
    readonly announced: RegExp;
  };
  /** The provider text in state. Default: the library's. */
  readonly provider?: string;
  /**
   * What an answer that was lost may leave in the service although no state holds it. It has to be named: by the
   * error, or, when the process was killed, by the engine, which keeps the creation as pending. Default: nothing.
   */
  readonly leftovers?: Leftovers;
}

/** What a case is set up in. */
export interface World {
  readonly emulator: Emulator;
  /** A receiver of notifications that answers with success. */
  readonly receiver: string;
}

/** What the program says. */
export interface Declared {
  /** The arguments with which the resource is made. */
  readonly made: Properties;
  /** The arguments after a change; none where no change makes a request. */
  readonly changed?: Properties;
  /** The arguments under another name in the program. Default: those with which it was made. */
  readonly renamed?: Properties;
  /** The secrets among the arguments: they may be shown nowhere. */
  readonly secrets: readonly string[];
  /**
   * What is called by another name in the comparison of two runs, where chance decides which of several equal things
   * the resource has.
   *
   * @param outputs of the resource; `undefined` when there is none
   */
  readonly aliases?: (outputs: Properties | undefined) => Readonly<Record<string, string>>;
}

/** What a class that has something minted promises where the answer to that is lost. */
export interface Leftovers {
  /**
   * What is in the service and not in state.
   *
   * @param state the outputs of the resource; `undefined` when there is none
   */
  find(inspection: Inspection, id: string | undefined, state: Properties | undefined): readonly Leftover[];
  /** How an error names it. */
  readonly named: RegExp;
  /** The service ends it by itself; otherwise it is for people to delete. */
  readonly endsByItself: boolean;
}

/** One thing that is left in the service. */
export interface Leftover {
  /** When it ends, ISO 8601; null for never. */
  readonly expiresAt: string | null;
  /** Does to it what the service, or a person, will do. */
  end(emulator: Emulator): void;
}
