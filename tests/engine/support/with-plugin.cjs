/* global process */
// Has the suites of this process run with the provider plugin.
process.env.TRIVIUM_ADAPTERS = "plugin";
