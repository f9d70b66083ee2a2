import * as library from "pulumi-trivium";
import { internals } from "./library";
import type { Row } from "./table";

/** How long the text is that every resource has in state, by which the engine finds what manages it. */
export function providerText(): readonly Row[] {
  const types = [...internals.registry().collectDefinitions(library).keys()];
  const texts = types.map((type) => internals.stub().providerStub(type));
  return [
    {
      what: "`__provider` text in state",
      how: `the longest of all ${texts.length} resource classes, in UTF-8`,
      unit: "bytes",
      figures: [{ value: Math.max(...texts.map((text) => Buffer.byteLength(text))) }],
      goal: { bound: "most", value: 120 },
    },
  ];
}
