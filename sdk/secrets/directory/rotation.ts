import type { Dialect } from "../../base/settings";
import type { ResourceBehaviour } from "../../resource/definition";
import type { Triggers } from "../../base/json";
import { sameTriggers } from "../../resource/fields/kinds";
import type { SecretsClient, SecretsRequest } from "../client";
import { onDirectory } from "./failures";

export async function rotate(client: SecretsClient, mount: string, request: SecretsRequest): Promise<void> {
  await onDirectory(
    client,
    mount,
    () => client.act({ ...request, data: (z) => z.unknown() }),
    "The password may already have been rotated. It is safe to rotate it again.",
  );
}

interface Rotated<Place> {
  readonly id: (place: Place) => string;
  readonly lookupFor: (id: string, dialect: Dialect) => Place;
  readonly rotate: (client: SecretsClient, place: Place) => Promise<void>;
  readonly exists: (client: SecretsClient, place: Place) => Promise<boolean>;
}

/** Rotates a password at creation and whenever a trigger changes. */
export function rotationByTrigger<Place extends Readonly<Record<string, string>>>({
  id: idOf,
  lookupFor,
  rotate: rotateAt,
  exists,
}: Rotated<Place>): ResourceBehaviour<
  SecretsClient,
  Place & { readonly triggers?: Triggers | null | undefined }
> {
  return {
    shared: true,

    async create({ client }, desired) {
      const id = idOf(desired);
      await rotateAt(client, desired);
      const place = lookupFor(id, client.dialect.name);
      return { id, state: { ...place, triggers: desired.triggers ?? null, rotatedAt: new Date() } };
    },

    async read({ client }, id) {
      const place = lookupFor(id, client.dialect.name);
      return (await exists(client, place)) ? place : undefined;
    },

    async update({ client }, id, { triggers }, _changed, known) {
      if (sameTriggers(known.triggers, triggers)) {
        return known;
      }
      const place = lookupFor(id, client.dialect.name);
      await rotateAt(client, place);
      return { ...place, triggers: triggers ?? null, rotatedAt: new Date() };
    },

    // A former password cannot be restored.
    delete: () => Promise.resolve(),
  };
}
