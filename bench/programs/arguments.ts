/** What the programs of the benchmark declare: chosen by the environment, so that all of them make the same. */

/** The arguments of a TOTP method. */
export interface TotpMethodArguments {
  readonly issuer: string;
  readonly period: number;
  readonly keySize: number;
  readonly qrSize: number;
  readonly algorithm: "SHA256";
  readonly digits: number;
  readonly skew: number;
  readonly maxValidationAttempts: number;
}

/** The arguments of a project. */
export interface ProjectArguments {
  readonly organization: string;
  readonly name: string;
}

/** The arguments of as many TOTP methods as are wanted, by the names of the resources. */
export function totpMethods(): ReadonlyMap<string, TotpMethodArguments> {
  return numbered("method", (name) => ({
    issuer: `Acme ${name}`,
    period: 30,
    keySize: 32,
    qrSize: 100,
    algorithm: "SHA256",
    digits: 8,
    skew: 0,
    maxValidationAttempts: 3,
  }));
}

/** The arguments of as many projects as are wanted, by the names of the resources. */
export function projects(): ReadonlyMap<string, ProjectArguments> {
  return numbered("project", (name) => ({ organization: "acme", name }));
}

/** Whether projects are wanted; else TOTP methods are. */
export const wantsProjects = process.env.BENCH_CLASS === "Project";

function numbered<Arguments>(
  word: string,
  argumentsOf: (name: string) => Arguments,
): ReadonlyMap<string, Arguments> {
  const count = Number(process.env.BENCH_COUNT);
  const names = Array.from({ length: count }, (_, index) => `${word}-${index + 1}`);
  return new Map(names.map((name) => [name, argumentsOf(name)]));
}
