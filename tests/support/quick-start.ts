import { join } from "node:path";

/** For `NODE_OPTIONS` of processes that load the SDK. */
export const quickStart = `--require=${JSON.stringify(join(__dirname, "load-when-used.cjs"))}`;
