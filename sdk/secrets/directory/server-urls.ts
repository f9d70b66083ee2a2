import { type Canonical, nothingIsNull } from "../../resource/canonical";

function urlsOf(list: string): string[] {
  return list.split(",").map((url) => url.trim());
}

/** The URLs of directory servers, separated by commas: their order counts, case and white space do not. */
export const serverUrls: Canonical = nothingIsNull((value) =>
  typeof value === "string" ? urlsOf(value.toLowerCase()).join(",") : value,
);

/** Whether a text is a list of URLs that the engine can connect to. */
export function isServerUrls(list: string): boolean {
  return urlsOf(list).every((url) => /^ldaps?:\/\/[^\s/?#]+\/?$/i.test(url) && URL.canParse(url));
}
