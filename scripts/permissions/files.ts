import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { allDialects } from "../../tests/cases/support/case";
import { recordRequests } from "./record";

const root = join(__dirname, "..", "..");

/** What follows from the requests that the library really makes, by file. */
export async function permissionFiles(): Promise<ReadonlyMap<string, string>> {
  const recorded: Record<string, unknown> = {};
  for (const dialect of allDialects) {
    recorded[dialect] = await recordRequests(dialect);
  }
  const file = join(root, "sdk", "command-line", "policy", "recorded-requests.json");
  const text = await format(JSON.stringify(recorded), { ...(await resolveConfig(file)), parser: "json" });
  return new Map([[file, text]]);
}
