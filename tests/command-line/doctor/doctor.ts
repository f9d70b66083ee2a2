import { Writable } from "node:stream";
import type { ServiceReport } from "../../../sdk/command-line/doctor/examine";
import { runCommandLine } from "../../../sdk/command-line/run";
import type { Finding } from "../../../sdk/connection/probe";

export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command in this process, with its environment. */
export async function doctor(...args: readonly string[]): Promise<Outcome> {
  const texts = { out: "", error: "" };
  const collector = (name: keyof typeof texts): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString();
        done();
      },
    });
  const status = await runCommandLine(["doctor", ...args], {
    stdout: collector("out"),
    stderr: collector("error"),
    on: () => undefined,
    off: () => undefined,
  });
  return { status, ...texts };
}

/** What it finds out about one service. */
export async function examined(
  service: string,
  ...args: readonly string[]
): Promise<ServiceReport & { readonly status: number }> {
  const { status, out } = await doctor(service, "--json", ...args);
  const [report] = (JSON.parse(out) as { readonly services: readonly ServiceReport[] }).services;
  if (report === undefined) {
    throw new Error(`No report in ${out}`);
  }
  return { ...report, status };
}

/** The exit status and the findings in few words: `problem token HTTP_401`. */
export function brief({
  status,
  findings,
}: Pick<ServiceReport, "findings"> & { readonly status?: number }): readonly (string | number)[] {
  const texts = findings.map(({ state, check, code }) =>
    [state, check, ...(code === undefined ? [] : [code])].join(" "),
  );
  return status === undefined ? texts : [status, ...texts];
}

/** The finding of a check, of which there has to be one. */
export function found({ findings }: Pick<ServiceReport, "findings">, check: string): Finding {
  const all = findings.filter((each) => each.check === check);
  const [only] = all;
  if (only === undefined || all.length > 1) {
    throw new Error(`There are ${all.length} findings of ${check} in ${JSON.stringify(findings)}`);
  }
  return only;
}
