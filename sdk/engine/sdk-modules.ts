import { createRequire } from "node:module";

/**
 * Loads a module of the SDK, or one of its dependencies: its gRPC library is not a dependency of ours, and must be
 * the same copy. In the plugin's bundle these modules are part of the file.
 */
export function requireFromSdk<Module>(name: string): Module {
  return createRequire(require.resolve("@pulumi/pulumi"))(name) as Module;
}
