import type * as pulumi from "@pulumi/pulumi";

/** Options of a function for scripts. */
export interface ScriptFunctionOptions {
  /** Cancels the call. */
  signal?: AbortSignal | undefined;
}

/**
 * Options of the promise form of a function: Pulumi's own, and `signal`. `provider` must be a
 * {@link Provider}; the default is the provider of `parent`. `version`, `pluginDownloadURL` and `async` have
 * no effect.
 */
export interface FunctionOptions extends pulumi.InvokeOptions, ScriptFunctionOptions {}
