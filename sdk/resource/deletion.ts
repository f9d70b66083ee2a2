import { TriviumError } from "../base/errors";
import type { JsonObject } from "../base/json";
import { hiddenKeys, withoutHidden } from "./hidden";
import { type ObjectContext, stepOf } from "./object";

/**
 * Deletes the object; that it is gone already counts as done.
 *
 * What another resource of the operation has made its own stays: the engine creates before it deletes, so that a
 * resource which was renamed, or is replaced by hand, would delete what is its own again.
 */
export async function deleteObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<void> {
  const { definition, connection, ownership } = context;
  connection.assertMadeHere(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const heir = ownership.heirOf(id, properties);
  if (heir !== undefined) {
    step.announce("information", `${definition.type} ${id} was kept: the resource ${heir} manages it.`);
    return;
  }
  const refused = ownership.refusedTo(id, properties);
  if (refused !== undefined) {
    throw new TriviumError(
      `${definition.type} ${id} was not deleted: the resource ${refused} of this program was not created because of it.`,
      {
        hint: "If that one is to manage it, set adopt there, or name the former resource in its option aliases.",
      },
    );
  }
  await definition.delete(step, id, withoutHidden(properties));
}
