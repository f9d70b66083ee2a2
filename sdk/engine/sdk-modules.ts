import { createRequire } from "node:module";

/**
 * Loads the SDK's copy of a module: this package does not depend on the gRPC library, and must use the same
 * copy. In the plugin's bundle these modules are part of the file.
 */
export function requireFromSdk<Module>(name: string): Module {
  return createRequire(require.resolve("@pulumi/pulumi"))(name) as Module;
}
