import type { Emulator } from "pulumi-trivium/testing";
import type { Adapter } from "../../engine/support/adapter";
import type { Receiver } from "../../engine/support/receiver";
import { sharedProject } from "../../support/packed-library";
import type { Properties } from "../../support/provider-process";
import type { Creation } from "./creation";
import { declaredIn } from "./declared";
import type { FaultCase } from "./fault-case";
import { services } from "../../support/proxy";
import { tokens } from "./bench";

/** The services in which something is created, and the receiver of their notifications. */
export interface Services {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
}

let marks = 0;

/**
 * Prepares empty services for the creation of a class.
 *
 * @param more arguments beside those of the case
 */
export async function prepareCreation(
  { emulator, receiver }: Services,
  faultCase: FaultCase,
  adapter: Adapter,
  { environment = {}, more = {} }: { environment?: Readonly<Record<string, string>>; more?: Properties } = {},
): Promise<Creation> {
  emulator.reset();
  marks += 1;
  const { made } = await declaredIn(emulator, receiver, faultCase, `creation${marks}q`);
  const configuration = Object.fromEntries(
    services.flatMap((name) => [
      [`trivium:${name}Address`, emulator[name].address],
      [`trivium:${name}Token`, tokens[name]],
      [`trivium:${name}MaxRetries`, "0"],
    ]),
  );
  const { type } = faultCase;
  const directory = sharedProject().path;
  return { type, adapter, directory, configuration, args: { ...made, ...more }, environment };
}
