import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Servers } from "./servers";

/** LDAP's result codes for a wrong password and for an entry that is not there, with which the tools end. */
const invalidCredentials = 49;
const noSuchObject = 32;

interface Work {
  /** Default: the administrator. */
  readonly as?: { readonly dn: string; readonly password: string };
  readonly parameters?: readonly string[];
  readonly ldif?: readonly string[];
  /** A result code that is no failure. */
  readonly expected?: number;
}

/** Works with entries of an LDAP server through OpenLDAP's own tools (Debian: `ldap-utils`). */
export class Ldap {
  constructor(private readonly server: NonNullable<Servers["directory"]>) {}

  /** Adds a folder. */
  async addUnit(dn: string): Promise<void> {
    await this.add(dn, "objectClass: organizationalUnit");
  }

  /** Adds somebody whose entry is named by `cn`. Without a password nobody can bind so. */
  async addPerson(dn: string, password?: string): Promise<void> {
    const secret = password === undefined ? [] : [`userPassword:: ${base64(password)}`];
    await this.add(dn, "objectClass: inetOrgPerson", `sn: ${nameOf(dn)[1]}`, ...secret);
  }

  /** Has somebody change their own password. */
  async changeOwnPassword(dn: string, password: string, next: string): Promise<void> {
    const change = ["changetype: modify", "replace: userPassword", `userPassword:: ${base64(next)}`];
    await this.run("ldapmodify", { as: { dn, password }, ldif: [`dn: ${dn}`, ...change] });
  }

  /** Whether one can bind so. */
  async accepts(dn: string, password: string): Promise<boolean> {
    const { code } = await this.run("ldapwhoami", { as: { dn, password }, expected: invalidCredentials });
    return code === 0;
  }

  /** The names of the entries right below one. */
  async below(dn: string): Promise<readonly string[]> {
    const parameters = ["-LLL", "-o", "ldif-wrap=no", "-b", dn, "-s", "one", "(objectClass=*)", "1.1"];
    const { output } = await this.run("ldapsearch", { parameters });
    return [...output.matchAll(/^dn(::?) (.*)$/gm)].map(([, mark, name = ""]) =>
      mark === "::" ? Buffer.from(name, "base64").toString() : name,
    );
  }

  /** What the server says that it is; OpenLDAP does not tell its version. */
  async product(): Promise<string> {
    const shown = ["objectClass", "vendorName", "vendorVersion"];
    const parameters = ["-LLL", "-b", "", "-s", "base", "(objectClass=*)", ...shown];
    const { output } = await this.run("ldapsearch", { parameters });
    const value = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(output)?.[1] ?? "";
    const vendor = value("vendorName") || (output.includes("OpenLDAP") ? "OpenLDAP" : "an LDAP server");
    return `${vendor} ${value("vendorVersion")}`.trim();
  }

  /** Deletes an entry with all below it; it may be gone already. */
  async remove(dn: string): Promise<void> {
    await this.run("ldapdelete", { parameters: ["-r", dn], expected: noSuchObject });
  }

  private async add(dn: string, ...lines: readonly string[]): Promise<void> {
    await this.run("ldapadd", { ldif: [`dn: ${dn}`, nameOf(dn).join(": "), ...lines] });
  }

  private async run(
    tool: string,
    { as, parameters = [], ldif = [], expected = 0 }: Work,
  ): Promise<{ readonly code: number | null; readonly output: string }> {
    const { url, binddn, bindpass } = this.server;
    // Everybody on a machine sees the arguments of a process.
    const directory = mkdtempSync(join(tmpdir(), "trivium-ldap-"));
    try {
      const file = join(directory, "password");
      writeFileSync(file, as?.password ?? bindpass, { mode: 0o600 });
      const child = spawn(tool, ["-x", "-H", url, "-D", as?.dn ?? binddn, "-y", file, ...parameters]);
      // A tool that ends before it has read everything says itself why.
      child.stdin.on("error", () => undefined);
      child.stdin.end(`${ldif.join("\n")}\n`);
      const [output, said, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close") as Promise<[number | null]>,
      ]);
      if (code !== 0 && code !== expected) {
        throw new Error(`${tool} ended with ${String(code)}: ${said.trim()}`);
      }
      return { code, output };
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
}

/** The attribute and the value by which an entry is named; the names that tests give need no escapes. */
function nameOf(dn: string): readonly [string, string] {
  const [, attribute = "", value = ""] = /^(\w+)=([^,]*)/.exec(dn) ?? [];
  return [attribute, value];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
