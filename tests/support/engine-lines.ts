import * as progress from "../../sdk/engine/progress";

/** The lines that an engine would receive during some work in this process. */
export async function linesDuring(work: (lines: string[]) => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const { logToEngine } = progress;
  const log: typeof logToEngine = (kind, _urn, message) => void lines.push(`${kind}: ${message}`);
  Object.assign(progress, { logToEngine: log });
  try {
    await work(lines);
  } finally {
    Object.assign(progress, { logToEngine });
  }
  return lines;
}
