import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../base/errors";
import { type Adapter, adapterKey, packages } from "../base/settings";

/**
 * How the program that is running has its resources managed.
 *
 * @throws ConfigurationError when its stack configuration names no such way
 */
export function adapter(): Adapter {
  const chosen = pulumi.runtime.getConfig(adapterKey) ?? "dynamic";
  if (chosen !== "dynamic" && chosen !== "plugin") {
    throw new ConfigurationError(`The configuration ${adapterKey} must be "dynamic" or "plugin".`);
  }
  return chosen;
}

/** Any token of the package that has our resources, by which a parent's provider for them is found. */
export function anyResourceToken(): string {
  return `${packages[adapter()]}:dynamic:Resource`;
}
