import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/packed-library";
import { quickStart } from "../support/quick-start";
import { until } from "../testing/call";

const library = join(repository, "sdk");
const { bin } = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as {
  readonly bin: Readonly<Record<string, string>>;
};

const started = new Set<ReturnType<typeof run>>();

/** Ends what a test has started and not ended, for `afterEach`. */
export async function stopCommands(): Promise<void> {
  for (const { process: child, ended } of started) {
    child.kill("SIGKILL");
    await ended;
  }
  started.clear();
}

/**
 * Runs the compiled program that `npx pulumi-trivium` runs; `ended` is its exit status, or the signal that has ended it.
 *
 * @param output the file descriptor that is its standard output
 */
export function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  directory = process.cwd(),
  output?: number,
) {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:TRIVIUM|PROVISIONING|SECRETS|SCHEDULER|TFE|VAULT|NOMAD)_/.test(name),
  );
  const child = spawn(process.execPath, [join(library, bin["pulumi-trivium"] ?? ""), ...args], {
    cwd: directory,
    env: { ...Object.fromEntries(own), NODE_OPTIONS: quickStart, ...environment },
    stdio: ["ignore", output ?? "pipe", "pipe"],
  });
  const printed = { out: "", error: "" };
  child.stdout?.on("data", (text: Buffer) => (printed.out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (printed.error += text.toString()));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  /** Waits until it has printed so many whole lines. */
  const lines = async (count: number): Promise<string[]> => {
    await until(() => printed.out.split("\n").length > count || child.exitCode !== null);
    return printed.out.split("\n").slice(0, -1);
  };
  const running = { process: child, printed, ended, lines };
  started.add(running);
  return running;
}
