import { accounts } from "../../cases/secrets/directory/library-checkout";
import type { Properties } from "../../support/provider-process";

// What only a check-out does where requests fail.

const type = "secrets/directory:LibraryCheckout";

/** The borrower is read after the check-out, which must get into state even if that read fails. */
export const withoutBorrower = {
  privateState: { proven: false },
  announced: /Could not read the borrower of /,
};

/** Names to replace in a comparison of two runs: it does not matter which of its accounts the service lends. */
export function lentNames(subject: string, outputs: Properties = {}): Readonly<Record<string, string>> {
  if (subject !== type) {
    return {};
  }
  const { serviceAccountName: lent, __private: known } = outputs;
  const { borrower } = (known ?? {}) as { readonly borrower?: unknown };
  const free = accounts.filter((name) => name !== lent);
  return {
    ...Object.fromEntries(free.map((name, index) => [name, `free-${index}`])),
    ...(typeof lent === "string" ? { [lent]: "borrowed" } : {}),
    ...(typeof borrower === "string" ? { [borrower]: "<borrower>" } : {}),
  };
}
