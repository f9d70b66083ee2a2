import { cpus } from "node:os";

/** What figures were measured on, such as `linux, 2 x AMD EPYC`. */
export function machine(): string {
  const processors = cpus();
  const processor = processors[0]?.model.trim() ?? "an unknown processor";
  return `${process.platform}, ${processors.length} x ${processor}`;
}

/** The day on which it is measured, as `YYYY-MM-DD`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
