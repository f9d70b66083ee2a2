import { Writable } from "node:stream";
import { runCommandLine } from "../../../sdk/command-line/run";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";

/** A finding as `--json` prints it. */
export interface Finding {
  readonly check: string;
  readonly subject?: string;
  readonly state: string;
  readonly message: string;
  readonly advice?: string;
  readonly code?: string;
}

/** A service as `--json` prints it. */
export interface ServiceReport {
  readonly service: string;
  readonly configured: boolean;
  readonly address: string | null;
  readonly dialect: string | null;
  readonly product: { readonly name: string; readonly version: string | null } | null;
  readonly settings: readonly {
    readonly name: string;
    readonly source: string;
    readonly secret: boolean;
    readonly value?: string;
  }[];
  readonly findings: readonly Finding[];
}

/** What a run of the command has brought. */
export interface Outcome {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command in this process, with its environment. */
export async function doctor(...args: readonly string[]): Promise<Outcome> {
  const out = new Collector();
  const error = new Collector();
  const status = await runCommandLine(["doctor", ...args], {
    stdout: out,
    stderr: error,
    on: () => undefined,
    off: () => undefined,
  });
  return { status, out: out.text, error: error.text };
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

/** The findings of a service in few words: `problem token HTTP_401`, `ok rights (acme)`. */
export function brief({ findings }: Pick<ServiceReport, "findings">): string[] {
  return findings.map(({ state, check, subject, code }) =>
    [
      state,
      check,
      ...(subject === undefined ? [] : [`(${subject})`]),
      ...(code === undefined ? [] : [code]),
    ].join(" "),
  );
}

/** The finding of a check, of which there has to be one. */
export function found(
  { findings }: Pick<ServiceReport, "findings">,
  check: string,
  subject?: string,
): Finding {
  const all = findings.filter((each) => each.check === check && each.subject === subject);
  const [only] = all;
  if (only === undefined || all.length > 1) {
    throw new Error(`There are ${all.length} findings of ${check} in ${JSON.stringify(findings)}`);
  }
  return only;
}

class Collector extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** An emulator for the tests of the suite that calls it, to which the environment points. */
export function useEmulator(dialect: "documented" | "hashicorp"): {
  readonly emulator: Emulator;
  surround(more: Readonly<Record<string, string>>): void;
} {
  let started: Emulator | undefined;
  const running = (): Emulator => {
    if (started === undefined) {
      throw new Error("The emulator is not there yet.");
    }
    return started;
  };
  before(async () => {
    started = await startEmulator({ dialect });
  });
  beforeEach(() => running().reset());
  useEnvironment(() => running().environment);
  after(async () => running().close());
  return {
    get emulator() {
      return running();
    },
    surround(more) {
      for (const [name, value] of Object.entries(more)) {
        process.env[name] = value;
      }
    },
  };
}
