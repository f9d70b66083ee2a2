import type { Exchange } from "../../support/proxy";

/**
 * Where requests went, with the value in question put aside: two runs that differ in nothing but that value go to the
 * same places. Ids that the service chooses are put aside too.
 *
 * @param values the value, and what it consists of
 */
export function placesOf(exchanges: readonly Exchange[], values: readonly string[]): string[] {
  const spellings = new Set(values.flatMap((each) => [each, each.trim(), each.toLowerCase()]));
  return exchanges.map(({ method, target }) => {
    const [path = "", query = ""] = splitOnce(target, "?");
    const segments = path.split("/").map((segment) => {
      const text = decodeURIComponent(segment);
      return text !== "" && spellings.has(text)
        ? value
        : chosen.test(text)
          ? "(id)"
          : encodeURIComponent(text);
    });
    const parameters = query === "" ? [] : query.split("&").map((parameter) => placeOf(parameter, spellings));
    return [method, collapsed(segments).join("/"), ...parameters.sort()].join(" ");
  });
}

const value = "(value)";
const chosen = /^(?:[a-z]+-[A-Za-z0-9]{16}|[0-9a-f]{8}-[0-9a-f-]{27})$/;

function placeOf(parameter: string, spellings: ReadonlySet<string>): string {
  const [name = "", text = ""] = splitOnce(parameter, "=").map(decodeURIComponent);
  return `${name}=${spellings.has(text) ? value : text}`;
}

/** A mount may be a path of several parts. */
function collapsed(segments: readonly string[]): string[] {
  return segments.filter((segment, index) => segment !== value || segments[index - 1] !== value);
}

function splitOnce(text: string, separator: string): string[] {
  const position = text.indexOf(separator);
  return position === -1 ? [text] : [text.slice(0, position), text.slice(position + 1)];
}
