import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../base/errors";
import { type Adapter, adapterKey, packages } from "../base/settings";

/** @throws ConfigurationError if the stack configuration has an invalid value */
export function adapter(): Adapter {
  const chosen = pulumi.runtime.getConfig(adapterKey) ?? "dynamic";
  if (chosen !== "dynamic" && chosen !== "plugin") {
    throw new ConfigurationError(`The configuration value ${adapterKey} must be "dynamic" or "plugin".`);
  }
  return chosen;
}

/** A token of the package of our resources, to find a parent's provider for them. */
export function anyResourceToken(): string {
  return `${packages[adapter()]}:dynamic:Resource`;
}
