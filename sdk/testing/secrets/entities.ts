import { randomUUID } from "node:crypto";
import * as forms from "../forms";

/** Somebody who logs in, under whatever names; the documentation has no endpoint that makes one. */
export interface EntityRecord {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An entity to set up. */
export interface NewEntity {
  /** Default: a new one. */
  readonly id?: string;
  /** Default: `entity_` and the first part of the id. */
  readonly name?: string;
  /** Default none. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What a seed returns about one of its `entities`. */
export const entityForm = forms.object<NewEntity>({
  id: forms.name.optional(),
  name: forms.name.optional(),
  metadata: forms.recordOf(forms.text).optional(),
});

export function newEntity({
  id = randomUUID(),
  name = `entity_${id.slice(0, 8)}`,
  metadata = {},
}: NewEntity): EntityRecord {
  return { id, name, metadata: { ...metadata } };
}
