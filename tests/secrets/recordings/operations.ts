import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { directoryOperations } from "./directory-operations";
import type { Exchange } from "./exchanges";
import { identityOperations } from "./identity-operations";
import { type Asked, camelCased, type Operation } from "./operation";
import { schedulerOperations } from "./scheduler-operations";

const operations: readonly Operation[] = [
  ...identityOperations,
  ...directoryOperations,
  ...schedulerOperations,
];

/** The operation that makes an exchange's request, and what it is asked; `undefined` when none of ours does. */
export function operationFor(
  { request }: Exchange,
  step: Step<SecretsClient>,
): { readonly operation: Operation; readonly asked: Asked } | undefined {
  const text = `${request.method} ${request.path}`;
  for (const operation of operations) {
    const found = operation.request.exec(text);
    if (found !== null) {
      const values = camelCased(request.body ?? {});
      return { operation, asked: { step, names: found.slice(1), values } };
    }
  }
  return undefined;
}
