import type { Caller } from "../../../sdk/base/caller";
import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";
import type { Emulator } from "../../../sdk/testing";
import { secretsClientOf } from "../emulated-client";

/** What a step of a lifecycle is given while its object is made, or read without being managed. */
export function stepAt(
  emulator: Emulator,
  announce: Caller["announce"] = () => undefined,
): Step<SecretsClient> {
  return {
    client: secretsClientOf(emulator),
    signal: new AbortController().signal,
    progress: () => undefined,
    announce,
    memory: {},
    managed: new Set(),
  };
}
