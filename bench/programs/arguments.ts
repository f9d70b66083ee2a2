/** What the programs of the benchmark declare: chosen by the environment, so that all of them declare the same. */

/** The classes of which the programs declare resources. */
export type ResourceClass = "TotpMethod" | "Project";

type Args = Readonly<Record<string, unknown>>;

const argumentsOf: Readonly<Record<ResourceClass, (number: number) => Args>> = {
  TotpMethod: (number) => ({
    issuer: `Acme ${number}`,
    period: 30,
    keySize: 32,
    qrSize: 100,
    algorithm: "SHA256",
    digits: 8,
    skew: 0,
    maxValidationAttempts: 3,
  }),
  Project: (number) => ({ organization: "acme", name: `project-${number}` }),
};

/** The class whose resources are wanted. */
export const resourceClass = (process.env.BENCH_CLASS ?? "") as ResourceClass;

/** The arguments of the resources that are wanted, by their names. */
export const wanted: ReadonlyMap<string, Args> = new Map(
  Array.from({ length: Number(process.env.BENCH_COUNT) }, (_, index) => [
    `resource-${index + 1}`,
    argumentsOf[resourceClass](index + 1),
  ]),
);
