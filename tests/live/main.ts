import { join } from "node:path";
import Mocha, { type Runnable } from "mocha";
import { useTarget } from "../engine/support/lifecycle-target";
import { LiveServices, title } from "./live-services";
import { examine } from "./probes";
import { serversIn } from "./servers";

/**
 * Runs the lifecycles of all classes against the real servers that the environment names, and says of each that
 * cannot run there why.
 *
 * @param classNames which to run, such as `secrets.mfa.TotpMethod`; none for all
 */
async function main(classNames: readonly string[]): Promise<void> {
  const servers = serversIn();
  const missing = await examine(servers);
  useTarget({
    title,
    real: true,
    dialects: ["hashicorp"],
    patience: 600_000,
    missing: (need) => missing.get(need),
    open: () => Promise.resolve(new LiveServices(servers)),
  });
  const chosen = classNames.map((name) => name.replaceAll(".", "\\.")).join("|") || "\\S+";
  const mocha = new Mocha({ grep: new RegExp(`^(?:${chosen}) ${title}`), forbidOnly: true });
  mocha.addFile(join(__dirname, "..", "engine", "lifecycles.test.ts"));
  const names = ["logins", "gates", "endings", "products", "losses"];
  names.forEach((name) => mocha.addFile(join(__dirname, `${name}.test.ts`)));
  const runner = mocha.run();
  const rows = new Map<string, { pass: number; fail: number; pending: number }>();
  const leftOut: string[] = [];
  for (const event of ["pass", "fail", "pending"] as const) {
    runner.on(event, (runnable: Runnable) => {
      const [suite = ""] = runnable.titlePath();
      const row = rows.get(suite) ?? { pass: 0, fail: 0, pending: 0 };
      rows.set(suite, { ...row, [event]: row[event] + 1 });
      leftOut.push(...(event === "pending" ? [runnable.title] : []));
    });
  }
  runner.once("end", () => {
    const summary = [...rows].map(
      ([suite, { pass, fail, pending }]) => `${suite}: ${pass} passed, ${fail} failed, ${pending} left out`,
    );
    const left = leftOut.length > 0 ? leftOut : ["nothing"];
    console.log(`\n${["Summary:", ...summary, "", "Left out:", ...left].join("\n  ")}`);
    process.exit(runner.failures > 0 ? 1 : 0);
  });
}

void main(process.argv.slice(2));
