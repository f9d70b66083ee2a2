import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a real server returned. */
export interface RecordedResponse {
  readonly status: number;
  readonly body: {
    readonly data?: Readonly<Record<string, unknown>> | null;
    readonly errors?: readonly string[];
    readonly warnings?: readonly string[] | null;
  } | null;
}

/** A request to a real server, and its response. */
export interface Exchange {
  /** Its place in the recording. */
  readonly index: number;
  readonly note: string;
  readonly request: {
    readonly method: string;
    /** Below the base path, with its query. */
    readonly path: string;
    readonly body?: Readonly<Record<string, unknown>>;
  };
  /** `undefined` where the server closed the connection without an response. */
  readonly response: RecordedResponse | undefined;
}

const file = join(__dirname, "..", "..", "fixtures", "wire", "openbao-2.6.2.json");

type Recorded = Omit<Exchange, "index" | "response"> & {
  readonly response: RecordedResponse | { readonly connection: string };
};

/** All exchanges in the order in which they were recorded. */
export const exchanges: readonly Exchange[] = (JSON.parse(readFileSync(file, "utf8")) as Recorded[]).map(
  ({ note, request, response }, index) => ({
    index,
    note,
    request,
    response: "status" in response ? response : undefined,
  }),
);

/** The words of the service, as one line, without those that only count them. */
export function wordsOf({ response }: Exchange): readonly string[] {
  return (response?.body?.errors ?? []).map((text) =>
    text
      .replace(/\s+/g, " ")
      .replace(/^1 error occurred: \* /, "")
      .trim(),
  );
}
