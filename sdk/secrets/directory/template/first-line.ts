import { quoted } from "../../../go-template/quoted";
import type { Node } from "../../../go-template/syntax";
import type { Problems } from "./finding";

/** What an action may leave: any text. */
const anything = "\0";

/** A text of LDIF begins with a record, whose first line is its `dn:`. Whatever follows is the directory's to judge. */
export function checkFirstLine(nodes: readonly Node[], problems: Problems): void {
  const { text, offsetOf } = leadingText(nodes);
  // A line that starts with a space continues the one above.
  for (const { 0: folded, index } of text.matchAll(/[^\n]+(?:\n [^\n]*)*/g)) {
    const line = folded.replace(/\r?\n /g, "").trim();
    const [literal = ""] = line.split(anything);
    const isSkipped = /^(?:#|version:|$)/i.test(line);
    if (literal !== line && (isSkipped || !literal.includes(":"))) {
      return;
    }
    if (isSkipped) {
      continue;
    }
    const offset = offsetOf(index);
    if (!/^dn:/i.test(literal)) {
      const shown = quoted(literal.replace(/:.*/, ":"));
      problems.error(offset, `LDIF must begin with \`dn: \`, not with ${shown}.`);
    } else if (folded.startsWith(" ")) {
      const message = "A line that starts with a space continues the line above, but there is none.";
      problems.warning(offset, message);
    }
    return;
  }
  problems.warning(0, "The text contains no LDIF record, which begins with `dn: `.");
}

/** The text up to the first action that leaves something, and where its characters are in the template. */
function leadingText(nodes: readonly Node[]): { text: string; offsetOf: (position: number) => number } {
  const pieces: { readonly start: number; readonly offset: number }[] = [];
  let text = "";
  for (const node of nodes) {
    const isSilent =
      node.kind === "comment" ||
      node.kind === "define" ||
      (node.kind === "output" && node.pipeline.variables.length > 0);
    if (!isSilent) {
      pieces.push({ start: text.length, offset: node.offset });
      text += node.kind === "text" ? node.text : anything;
    }
    if (!isSilent && node.kind !== "text") {
      break;
    }
  }
  return {
    text,
    offsetOf: (position) => {
      const piece = pieces.findLast(({ start }) => start <= position);
      return piece === undefined ? position : piece.offset + position - piece.start;
    },
  };
}
