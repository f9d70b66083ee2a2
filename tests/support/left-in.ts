import type { Inspection } from "../../sdk/testing";

/** How many objects of which kinds there are that were not there before as they are now. */
export function leftIn(before: Inspection, after: Inspection): Readonly<Record<string, number>> {
  const former = new Set(objectsIn(before));
  const counts: Record<string, number> = {};
  for (const object of objectsIn(after).filter((each) => !former.has(each))) {
    const [kind = ""] = object.split(" ");
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** All objects of an emulator, each as its kind and JSON. */
function objectsIn(inspection: Inspection): readonly string[] {
  return Object.entries(inspection).flatMap(([service, kinds]) =>
    Object.entries(kinds as Readonly<Record<string, unknown>>).flatMap(([kind, objects]) =>
      Array.isArray(objects) ? objects.map((object) => `${service}.${kind} ${JSON.stringify(object)}`) : [],
    ),
  );
}
