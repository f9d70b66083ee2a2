/** Selected by the environment, so that all programs of the benchmark declare the same. */

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

export const resourceClass = (process.env.BENCH_CLASS ?? "") as ResourceClass;

export const resources: ReadonlyMap<string, Args> = new Map(
  Array.from({ length: Number(process.env.BENCH_COUNT) }, (_, index) => [
    `resource-${index + 1}`,
    argumentsOf[resourceClass](index + 1),
  ]),
);
