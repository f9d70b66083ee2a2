import { createRequire } from "node:module";

/**
 * Loads a module from the SDK's own dependencies: its gRPC library is not a dependency of ours, and must be
 * the same copy.
 */
export function requireFromSdk<Module>(name: string): Module {
  return createRequire(require.resolve("@pulumi/pulumi"))(name) as Module;
}
