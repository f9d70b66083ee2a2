import { TriviumError } from "../../base/errors";
import type { JsonObject } from "../../base/json";
import { hiddenKeys, withoutHidden } from "../state/hidden";
import { type ObjectContext, stepOf } from "./object";

/** Keeps an object that another resource manages now: the engine creates a renamed one before it deletes the former. */
export async function deleteObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<void> {
  const { definition, connection, ownership } = context;
  connection.assertSameService(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const heir = ownership.successorOf(id, properties);
  if (heir !== undefined) {
    step.announce(
      "information",
      `${definition.type} ${id} was not deleted: the resource ${heir} manages it.`,
    );
    return;
  }
  const refused = ownership.refusedTo(id, properties);
  if (refused !== undefined) {
    throw new TriviumError(
      `${definition.type} ${id} was not deleted: the resource ${refused} of this program could not be created because it exists.`,
      {
        advice:
          "To manage it with that resource, set `adopt: true` there, or name this resource in its option `aliases`.",
      },
    );
  }
  await definition.delete(step, id, withoutHidden(properties));
}
