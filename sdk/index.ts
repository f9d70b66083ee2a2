/**
 * Pulumi resources and functions for the provisioning service (HCP Terraform and Terraform Enterprise), the secrets
 * service (Vault and OpenBao) and the scheduler (Nomad).
 *
 * @packageDocumentation
 */
import { allowDefaultImport } from "./base/default-import";
import "./base/node-version";
export * as errors from "./errors";
export type { FunctionOptions, ScriptFunctionOptions } from "./functions/call";
export * as provisioning from "./provisioning";
export {
  Provider,
  type ProviderArgs,
  type ProvisioningConnectionArgs,
  type SchedulerConnectionArgs,
  type SchedulerLogin,
  type SecretsConnectionArgs,
  type SecretsLogin,
} from "./connection/provider";
export * as scheduler from "./scheduler";
export * as secrets from "./secrets";

allowDefaultImport(module.exports as object);
