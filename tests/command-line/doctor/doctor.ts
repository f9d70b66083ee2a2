import assert from "node:assert/strict";
import { Writable } from "node:stream";
import type { ServiceReport } from "../../../sdk/command-line/doctor/examine";
import { runCommandLine } from "../../../sdk/command-line/run";
import type { Finding } from "../../../sdk/connection/probe";

/** Runs the command in this process, with its environment. */
export async function doctor(...args: readonly string[]) {
  const texts = { out: "", error: "" };
  const collector = (name: keyof typeof texts): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        texts[name] += chunk.toString();
        done();
      },
    });
  const [stdout, stderr] = [collector("out"), collector("error")];
  const process = { stdout, stderr, on: () => undefined, off: () => undefined };
  return { status: await runCommandLine(["doctor", ...args], process), ...texts };
}

/** What it finds out about one service. */
export async function examined(service: string, ...args: readonly string[]) {
  const { status, out } = await doctor(service, "--json", ...args);
  const [report] = (JSON.parse(out) as { readonly services: readonly ServiceReport[] }).services;
  return { ...(report ?? assert.fail(`There is no report in ${out}`)), status };
}

type Findings = Pick<ServiceReport, "findings"> & { readonly status?: number };

/** The exit status and the findings in few words: `problem token HTTP_401`. */
export function brief({ status, findings }: Findings): readonly (string | number)[] {
  const texts = findings.map(({ state, check, code = "" }) => `${state} ${check} ${code}`.trim());
  return status === undefined ? texts : [status, ...texts];
}

/** The finding of a check, of which there has to be one. */
export function found({ findings }: Findings, check: string): Finding {
  const [only, ...others] = findings.filter((each) => each.check === check);
  assert.ok(only !== undefined && others.length === 0, `${check} in ${JSON.stringify(findings)}`);
  return only;
}
