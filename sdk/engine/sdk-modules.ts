import { createRequire } from "node:module";

/** The SDK's own copy of a module: its gRPC library is no dependency of ours, and must be the same one. */
export function requireFromSdk<Module>(name: string): Module {
  return createRequire(require.resolve("@pulumi/pulumi"))(name) as Module;
}
