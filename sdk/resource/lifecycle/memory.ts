import type { JsonObject } from "../../base/json";
import type { Entry, RunOptions } from "../state/entry";

interface OfUrn {
  /** From check, which alone gets them. */
  readonly run?: RunOptions;
  readonly secrets?: readonly string[];
  /** Those of the program, as check returns them. */
  readonly args?: JsonObject;
  /** From a check: the arguments in state. */
  readonly stored?: JsonObject;
  /** From diff: what is in state. */
  readonly id?: string;
  readonly former?: Entry;
}

interface OfId {
  /** From diff: the entries that read and delete receive may have a former one. */
  readonly urn?: string;
  /** A lease that outlives what state says. */
  readonly renewed?: Entry;
}

/** What a call about a resource tells those that follow in this process. */
export class Memory {
  private readonly urns = new Map<string, OfUrn>();
  private readonly ids = new Map<string, OfId>();

  note(urn: string | undefined, known: OfUrn): void {
    if (urn !== undefined) {
      this.urns.set(urn, { ...this.urns.get(urn), ...known });
    }
  }

  of(urn: string | undefined): OfUrn {
    return this.urns.get(urn ?? "") ?? {};
  }

  noteId(id: string, known: OfId): void {
    this.ids.set(id, { ...this.ids.get(id), ...known });
  }

  ofId(id: string): OfId {
    return this.ids.get(id) ?? {};
  }
}
