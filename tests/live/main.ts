import { join } from "node:path";
import Mocha from "mocha";
import { useTarget } from "../engine/support/lifecycle";
import { interfacesOf, liveTarget, title } from "./live-services";
import { probe } from "./probes";
import { serversIn } from "./servers";
import { summaryOf } from "./summary";

/**
 * Runs the lifecycles of all classes against the real servers that the environment names, and says of each that
 * cannot run there why.
 *
 * @param classNames which to run, such as `secrets.mfa.TotpMethod`; none for all
 */
async function main(classNames: readonly string[]): Promise<void> {
  const servers = serversIn(process.env);
  const findings = await probe(servers, interfacesOf(servers), process.env);
  console.log(["Found:", ...(findings.products.length > 0 ? findings.products : ["nothing"])].join("\n  "));
  if (findings.unusable.length > 0) {
    console.error(["The environment names what cannot be used:", ...findings.unusable].join("\n  "));
    process.exitCode = 1;
    return;
  }
  useTarget(liveTarget(servers, findings));

  const chosen = classNames.map((name) => name.replaceAll(".", "\\.")).join("|") || "\\S+";
  const mocha = new Mocha({ grep: new RegExp(`^(?:${chosen}) ${title}`), forbidOnly: true });
  mocha.addFile(join(__dirname, "..", "engine", "lifecycles.test.ts"));
  mocha.addFile(join(__dirname, "logins.ts"));
  mocha.addFile(join(__dirname, "gates.ts"));
  mocha.addFile(join(__dirname, "endings.ts"));
  mocha.addFile(join(__dirname, "products.ts"));
  const runner = mocha.run();
  const summary = summaryOf(runner);
  runner.once("end", () => {
    console.log(`\n${summary()}`);
    process.exit(runner.failures > 0 ? 1 : 0);
  });
}

void main(process.argv.slice(2));
