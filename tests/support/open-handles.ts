import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";

interface Handle {
  readonly type: string;
  readonly is_active: boolean;
  readonly is_referenced: boolean;
  readonly localEndpoint?: { readonly host: string; readonly port: number } | null;
  readonly remoteEndpoint?: { readonly host: string; readonly port: number } | null;
  readonly pid?: number;
}

/** Connections end and children are reaped a moment after a test asked for it. */
const patience = 2000;
/** The pipes that keep this process alive before any test does. */
let known = process.getActiveResourcesInfo();

/** Fails a run that leaves something open. With workers the file fails, since each worker runs one file at a time. */
export const mochaHooks = {
  afterAll(this: Mocha.Context): void {
    const { parent: root } = this.runnable();
    if (root === undefined) {
      return;
    }
    const file = fileOf(root);
    // Added this late, it runs after the hooks outside of suites.
    root.afterAll("leave nothing open", async () => {
      const deadline = Date.now() + patience;
      let open = opened();
      while (open.length > 0 && Date.now() < deadline) {
        await sleep(10);
        // The timer of the sleep itself still counts in the turn in which it fires.
        await immediate();
        open = opened(["Timeout"]);
      }
      known = [...known, ...open];
      if (open.length > 0) {
        throw new Error([`${file ?? "A test"} leaves open: ${open.join(", ")}`, ...details()].join("\n  "));
      }
    });
  },
};

/** Without workers the process would wait for open handles. The failure has been reported by now. */
export function mochaGlobalTeardown(): void {
  setTimeout(() => process.exit(1), patience).unref();
}

/** @param own handles of the caller, such as the timer of a hook's time limit */
function opened(own: readonly string[] = []): string[] {
  const before = [...known, ...own];
  return process.getActiveResourcesInfo().filter((kind) => {
    if (kind === "Immediate") {
      return false;
    }
    const index = before.indexOf(kind);
    if (index >= 0) {
      before.splice(index, 1);
    }
    return index < 0;
  });
}

function details(): string[] {
  const { libuv } = process.report.getReport() as unknown as { readonly libuv: readonly Handle[] };
  return libuv
    .filter(({ is_active, is_referenced }) => is_active && is_referenced)
    .flatMap(({ type, localEndpoint: local, remoteEndpoint: remote, pid }) => {
      if (pid !== undefined) {
        return [`process ${pid}: ${commandOf(pid)}`];
      }
      const [from, to] = [local, remote].map((end) => (end ? `${end.host}:${end.port}` : undefined));
      return from === undefined ? [] : [`${type} ${from} ${to === undefined ? "listens" : `with ${to}`}`];
    });
}

function commandOf(pid: number): string {
  return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
}

function fileOf(suite: Mocha.Suite): string | undefined {
  const file = suite.tests[0]?.file ?? suite.suites.map(fileOf).find((found) => found !== undefined);
  return file === undefined ? undefined : relative(process.cwd(), file);
}
