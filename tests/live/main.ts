import { join } from "node:path";
import Mocha, { type Runnable } from "mocha";
import { className } from "../../sdk/resource/definition";
import { resourceCases } from "../cases";
import { adapters, suiteTitle } from "../engine/support/adapter";
import { useTarget } from "../engine/support/lifecycle-target";
import { LiveServices, title } from "./live-services";
import { type Examined, examine } from "./probes";
import { addLiveResults, type LiveResult } from "./live-results";
import { serversIn } from "./servers";

interface Row {
  readonly pass: number;
  readonly fail: number;
  readonly pending: number;
}

/**
 * Runs the lifecycles of all classes against the real servers that the environment names, and says of each that
 * cannot run there why.
 *
 * @param words which classes to run, such as `secrets.mfa.TotpMethod`; none for all. With `--record`, results.json gets
 * what passed
 */
async function main(words: readonly string[]): Promise<void> {
  const classNames = words.filter((word) => word !== "--record");
  const servers = serversIn();
  const examined = await examine(servers);
  useTarget({
    title,
    real: true,
    dialects: ["hashicorp"],
    patience: 600_000,
    missing: (need) => examined.missing.get(need),
    open: () => Promise.resolve(new LiveServices(servers)),
  });
  const chosen = classNames.map((name) => name.replaceAll(".", "\\.")).join("|") || "\\S+";
  const mocha = new Mocha({ grep: new RegExp(`^(?:${chosen}) ${title}`), forbidOnly: true });
  mocha.addFile(join(__dirname, "..", "engine", "lifecycles.test.ts"));
  const names = ["logins", "gates", "endings", "engines", "products", "losses", "policy"];
  names.forEach((name) => mocha.addFile(join(__dirname, `${name}.test.ts`)));
  const runner = mocha.run();
  const rows = new Map<string, Row>();
  const leftOut: string[] = [];
  for (const event of ["pass", "fail", "pending"] as const) {
    runner.on(event, (runnable: Runnable) => {
      const [suite = ""] = runnable.titlePath();
      const row = rows.get(suite) ?? { pass: 0, fail: 0, pending: 0 };
      rows.set(suite, { ...row, [event]: row[event] + 1 });
      leftOut.push(...(event === "pending" ? [runnable.title] : []));
    });
  }
  // At once, so that an interrupted run keeps what has passed.
  runner.on("suite end", () => {
    if (words.includes("--record")) {
      addLiveResults(resultsOf(rows, examined));
    }
  });
  runner.once("end", () => {
    const summary = [...rows].map(
      ([suite, { pass, fail, pending }]) => `${suite}: ${pass} passed, ${fail} failed, ${pending} left out`,
    );
    const left = leftOut.length > 0 ? leftOut : ["nothing"];
    console.log(`\n${["Summary:", ...summary, "", "Left out:", ...left].join("\n  ")}`);
    process.exit(runner.failures > 0 ? 1 : 0);
  });
}

/** Of the classes whose steps have all passed, or were left out because the servers have not what they need. */
function resultsOf(rows: ReadonlyMap<string, Row>, { found }: Examined): readonly LiveResult[] {
  const date = new Date().toISOString().slice(0, 10);
  return [...resourceCases.values()].flatMap(({ type, live: { needs } }) => {
    const name = className({ type });
    const products = [...new Set(needs.flatMap((need) => found.get(need) ?? []))];
    return adapters.flatMap((adapter) => {
      const { pass = 0, fail = 0, pending = 0 } = rows.get(suiteTitle(`${name} ${title}`, adapter)) ?? {};
      const result = { class: name, adapter, products, date, passed: pass, leftOut: pending };
      return pass > 0 && fail === 0 ? [result] : [];
    });
  });
}

void main(process.argv.slice(2));
