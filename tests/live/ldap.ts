import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

  /** @param lines without the attribute that names it; the names that tests give need no escapes */
  add(dn: string, ...lines: readonly string[]): void {
    const [own = ""] = dn.split(",", 1);
    this.run("ldapadd", { ldif: [`dn: ${dn}`, own.replace("=", ": "), ...lines] });
  }

  /** Adds somebody whose entry is named by `cn`. Without a password nobody can bind so. */
  addPerson(dn: string, password?: string): void {
    const secret = password === undefined ? [] : [`userPassword:: ${base64(password)}`];
    this.add(dn, "objectClass: inetOrgPerson", "sn: person", ...secret);
  }

  /** Has somebody change their own password. */
  changeOwnPassword(dn: string, password: string, next: string): void {
    const change = ["changetype: modify", "replace: userPassword", `userPassword:: ${base64(next)}`];
    this.run("ldapmodify", { as: { dn, password }, ldif: [`dn: ${dn}`, ...change] });
  }

  /** Whether one can bind so. */
  accepts(dn: string, password: string): boolean {
    return this.run("ldapwhoami", { as: { dn, password }, expected: invalidCredentials }).status === 0;
  }

  /** The names of the entries right below one. */
  below(dn: string): readonly string[] {
    const parameters = ["-LLL", "-o", "ldif-wrap=no", "-b", dn, "-s", "one", "(objectClass=*)", "1.1"];
    const { stdout } = this.run("ldapsearch", { parameters });
    return [...stdout.matchAll(/^dn(::?) (.*)$/gm)].map(([, mark, name = ""]) =>
      mark === "::" ? Buffer.from(name, "base64").toString() : name,
    );
  }

  /** What the server says that it is; OpenLDAP does not tell its version. */
  product(): string {
    const shown = ["objectClass", "vendorName", "vendorVersion"];
    const parameters = ["-LLL", "-b", "", "-s", "base", "(objectClass=*)", ...shown];
    const { stdout } = this.run("ldapsearch", { parameters });
    const value = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(stdout)?.[1] ?? "";
    const vendor = value("vendorName") || (stdout.includes("OpenLDAP") ? "OpenLDAP" : "an LDAP server");
    return `${vendor} ${value("vendorVersion")}`.trim();
  }

  /** Deletes an entry with everything below it; it might already be gone. */
  remove(dn: string): void {
    this.run("ldapdelete", { parameters: ["-r", dn], expected: noSuchObject });
  }

  private run(tool: string, { as, parameters = [], ldif = [], expected = 0 }: Work) {
    const { url, binddn, bindpass } = this.server;
    // Everybody on a machine sees the arguments of a process.
    const file = join(mkdtempSync(join(tmpdir(), "trivium-ldap-")), "password");
    writeFileSync(file, as?.password ?? bindpass, { mode: 0o600 });
    const given = ["-x", "-H", url, "-D", as?.dn ?? binddn, "-y", file, ...parameters];
    const ended = spawnSync(tool, given, { input: `${ldif.join("\n")}\n`, encoding: "utf8" });
    rmSync(dirname(file), { recursive: true });
    if (ended.status !== 0 && ended.status !== expected) {
      const reason = ended.status === null ? String(ended.error) : ended.stderr.trim();
      throw new Error(`${tool} ended with ${String(ended.status)}: ${reason}`);
    }
    return ended;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
