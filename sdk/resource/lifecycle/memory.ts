import type { JsonObject } from "../../base/json";
import type { Entry, RunOptions } from "../state/entry";

interface OfUrn {
  /** From check, the only call that receives them. */
  readonly run?: RunOptions;
  readonly secrets?: readonly string[];
  /** The program's valid arguments, as check returns them. */
  readonly args?: JsonObject | undefined;
  /** From a check: the arguments in state. */
  readonly stored?: JsonObject;
  /** The entry in state, from diff. */
  readonly id?: string;
  readonly former?: Entry;
}

interface OfId {
  /** From diff, because the entries that read and delete receive can have a former one. */
  readonly urn?: string;
  /** A lease that lasts longer than state records. */
  readonly renewed?: Entry;
}

/** What a call about a resource passes on to later calls in this process. */
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
