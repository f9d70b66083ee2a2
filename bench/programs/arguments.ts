/** What the programs of the benchmark declare: chosen by the environment, so that all of them declare the same. */

/** The classes of which the programs declare resources. */
export type ResourceClass = "TotpMethod" | "Project" | "NotificationConfiguration";

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
  NotificationConfiguration: (number) => ({
    // Twenty are what the service allows a workspace.
    workspaceId: `ws-bench-${Math.ceil(number / 20)}`,
    name: `notification-${number}`,
    destinationType: "generic",
    url: "https://notifications.example.com/runs",
    // Enabled, the service would ask the receiver.
    enabled: false,
    triggers: ["run:completed", "run:errored"],
  }),
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
