/* global process */
// Has the suites of this process run with the provider plugin, for every class.
process.env.TRIVIUM_ADAPTERS = "plugin";
process.env.TRIVIUM_CLASSES ??= "all";
