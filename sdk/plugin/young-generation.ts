import { PerformanceObserver } from "node:perf_hooks";

/**
 * In bytes. What a call makes is soon garbage, and more room for it saves no time: Node.js 24 would take 128 MB, half of
 * what the process has.
 */
const enough = 16 * 2 ** 20;

/** V8 reads the maximum only when it starts, but how fast to grow each time that it grows. */
export function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    // Loaded here, because the plugin has to start quickly.
    const { getHeapSpaceStatistics, setFlagsFromString } = require("node:v8") as typeof import("node:v8");
    const size = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size;
    if (size === undefined || size >= enough) {
      setFlagsFromString("--semi-space-growth-factor=1");
      observer.disconnect();
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}
