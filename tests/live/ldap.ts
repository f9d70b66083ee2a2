import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { DirectoryServer } from "./servers";

/** LDAP's result code for a wrong password, with which the tools end. */
const invalidCredentials = 49;
/** The same for an entry that is not there. */
const noSuchObject = 32;

/** A tool of OpenLDAP that failed. */
class LdapFailure extends Error {
  constructor(
    tool: string,
    readonly code: number | null,
    said: string,
  ) {
    super(`${tool} ended with ${String(code)}: ${said.trim()}`);
  }
}

/** Works with entries of an LDAP server through OpenLDAP's own tools (Debian: `ldap-utils`). */
export class Ldap {
  constructor(private readonly server: DirectoryServer) {}

  /** Adds a folder. */
  async addUnit(dn: string): Promise<void> {
    await this.add(dn, ["objectClass: organizationalUnit"]);
  }

  /** Adds somebody whose entry is named by `cn`. Without a password nobody can bind so. */
  async addPerson(dn: string, password?: string): Promise<void> {
    const secret = password === undefined ? [] : [`userPassword:: ${base64(password)}`];
    await this.add(dn, ["objectClass: inetOrgPerson", `sn: ${firstValue(dn)}`, ...secret]);
  }

  /** Has somebody change their own password. */
  async changeOwnPassword(dn: string, password: string, next: string): Promise<void> {
    const ldif = [
      `dn: ${dn}`,
      "changetype: modify",
      "replace: userPassword",
      `userPassword:: ${base64(next)}`,
    ];
    await this.run("ldapmodify", { dn, password }, [], ldif.join("\n"));
  }

  /** Whether one can bind so. */
  async accepts(dn: string, password: string): Promise<boolean> {
    try {
      await this.run("ldapwhoami", { dn, password });
      return true;
    } catch (error) {
      if (error instanceof LdapFailure && error.code === invalidCredentials) {
        return false;
      }
      throw error;
    }
  }

  /** The names of the entries right below one. */
  async below(dn: string): Promise<readonly string[]> {
    const shown = ["-LLL", "-o", "ldif-wrap=no", "-b", dn, "-s", "one", "(objectClass=*)", "1.1"];
    const found = await this.run("ldapsearch", this.administrator, shown);
    return [...found.matchAll(/^dn(::?) (.*)$/gm)].map(([, mark, name = ""]) =>
      mark === "::" ? Buffer.from(name, "base64").toString() : name,
    );
  }

  /** What the server says that it is; OpenLDAP does not tell its version. */
  async product(): Promise<string> {
    const shown = ["-LLL", "-b", "", "-s", "base", "(objectClass=*)"];
    const root = await this.run("ldapsearch", this.administrator, [
      ...shown,
      "objectClass",
      "vendorName",
      "vendorVersion",
    ]);
    const value = (name: string): string => new RegExp(`^${name}: (.*)$`, "m").exec(root)?.[1] ?? "";
    const vendor = value("vendorName") || (root.includes("OpenLDAP") ? "OpenLDAP" : "an LDAP server");
    return `${vendor} ${value("vendorVersion")}`.trim();
  }

  /** Deletes an entry with all below it; it may be gone already. */
  async remove(dn: string): Promise<void> {
    try {
      await this.run("ldapdelete", this.administrator, ["-r", dn]);
    } catch (error) {
      if (!(error instanceof LdapFailure && error.code === noSuchObject)) {
        throw error;
      }
    }
  }

  private get administrator(): Identity {
    return { dn: this.server.binddn, password: this.server.bindpass };
  }

  private async add(dn: string, lines: readonly string[]): Promise<void> {
    const [, attribute = ""] = /^(\w+)=/.exec(dn) ?? [];
    const ldif = [`dn: ${dn}`, `${attribute}: ${firstValue(dn)}`, ...lines].join("\n");
    await this.run("ldapadd", this.administrator, [], ldif);
  }

  private async run(
    tool: string,
    { dn, password }: Identity,
    more: readonly string[] = [],
    input = "",
  ): Promise<string> {
    // Everybody on a machine sees the arguments of a process.
    const directory = mkdtempSync(join(tmpdir(), "trivium-ldap-"));
    try {
      const file = join(directory, "password");
      writeFileSync(file, password, { mode: 0o600 });
      const child = spawn(tool, ["-x", "-H", this.server.url, "-D", dn, "-y", file, ...more]);
      // A tool that ends before it has read everything says itself why.
      child.stdin.on("error", () => undefined);
      child.stdin.end(`${input}\n`);
      const [output, said, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close") as Promise<[number | null]>,
      ]);
      if (code !== 0) {
        throw new LdapFailure(tool, code, said);
      }
      return output;
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
}

interface Identity {
  readonly dn: string;
  readonly password: string;
}

/** The value by which an entry is named; the names that tests give need no escapes. */
function firstValue(dn: string): string {
  return /^\w+=([^,]*)/.exec(dn)?.[1] ?? "";
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
