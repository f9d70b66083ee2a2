import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { collectClasses } from "../../sdk/resource/definition";
import * as library from "../../sdk";
import { useEmulator } from "../support/use-emulator";
import { optional, permission, variables } from "./servers";

const repository = join(__dirname, "..", "..");

/** Runs the tests against real servers as the script does, in an environment that names these and no others. */
async function testLive(
  environment: Readonly<Record<string, string>>,
  classNames: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const named: object[] = [...Object.values(variables), ...Object.values(optional)];
  const names = [...named.flatMap((each) => Object.values<string>({ ...each })), permission];
  const inherited = Object.entries(process.env).filter(([name]) => !names.includes(name));
  const script = ["-r", "ts-node/register", join("tests", "live", "main.ts"), ...classNames];
  const env = { ...Object.fromEntries(inherited), ...environment };
  const child = spawn(process.execPath, script, { cwd: repository, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const [output, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: stripVTControlCharacters(output + said) };
}

describe("the tests against real servers", function () {
  this.timeout(300_000);

  const classes = [...collectClasses(library).keys()].map((type) => type.replace(/[/:]/g, "."));

  it("the live tests leave out every class by name, with the reason, if the environment does not name a server", async () => {
    const { code, output } = await testLive({});
    assert.equal(code, 0, output);
    const left = output.matchAll(/^ *(\S+) against real servers\n *- \S+ is left out: (.+)$/gm);
    const reasons = new Map([...left].map(([, name, reason]) => [name, reason]));
    assert.deepEqual([...reasons.keys()].sort(), [...classes].sort());
    const expected: Readonly<Record<string, string>> = {
      provisioning: "TFE_ADDRESS, TFE_TOKEN and TFE_ORGANIZATION are not set",
      secrets: "VAULT_ADDR and VAULT_TOKEN are not set",
      scheduler: "NOMAD_ADDR and NOMAD_TOKEN are not set",
    };
    reasons.forEach((reason, name = "") => assert.equal(reason, expected[name.split(".")[0] ?? ""], name));
  });

  describe("on the emulator, which implements less than the products", () => {
    // Servers for development have such a token, which is printed anyway.
    const emulator = useEmulator({ dialect: "hashicorp", tokens: { secrets: "root" }, resets: false });
    // The emulator names the storage of a server in dev mode, which would permit everything.
    before(() => {
      const path = "/v1/sys/seal-status";
      emulator.faults.add({ path, status: 200, body: { storage_type: "file" }, times: 1000 });
    });
    const named = () => ({ VAULT_ADDR: emulator.secrets.address, VAULT_TOKEN: emulator.secrets.token });

    it("the live tests are rejected if nothing shows that the server is for development, and change nothing", async () => {
      const { code, output } = await testLive({ ...named(), [permission]: "http://127.0.0.1:1" });
      assert.equal(code, 1, output);
      assert.match(output, /does not look like a server for development/);
      assert.ok(output.includes(`${permission}=${emulator.secrets.address}`), output);
      assert.deepEqual(new Set(emulator.journal.requests().map(({ method }) => method)), new Set(["GET"]));
    });

    it("the live tests run a class through its lifecycle where that is permitted, report what they left out, and leave nothing behind", async () => {
      const before = emulator.inspect().secrets;
      const classNames = ["secrets.mfa.TotpMethod", "secrets.directory.StaticRole"];
      const permitted = { ...named(), [permission]: `${emulator.secrets.address}/` };
      const { code, output } = await testLive(permitted, classNames);
      assert.equal(code, 0, output);
      assert.match(output, /Found:\n {2}OpenBao \S+ at http\S+ \(TRIVIUM_LIVE_MAY_DELETE names it\)\n/);
      assert.match(output, /✔ \S+ is created .*✔ \S+ leaves nothing behind when the stack is destroyed/s);
      assert.match(output, /Summary:\n.* {2}secrets\.mfa\.TotpMethod .*servers: \d+ passed, 0 failed/s);
      assert.match(output, /Left out:\n.*StaticRole is left out: /s);
      assert.deepEqual(emulator.inspect().secrets, before);
    });
  });
});
