/** Preloaded by a plugin: prints how much memory it has for new objects, in MB. */
const { getHeapSpaceStatistics } = require("node:v8");
const process = require("node:process");
const { setInterval } = require("node:timers");

const report = () => {
  const { space_size: size } = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
  process.stderr.write(`${size / 2 ** 20}\n`);
};

setInterval(report, 50).unref();
