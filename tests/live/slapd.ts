import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/free-port";
import { Ldap } from "./ldap";
import type { DirectoryServer } from "./servers";

/** A real LDAP server of this machine, with nothing in it but its root. */
export interface Slapd extends DirectoryServer {
  close(): Promise<void>;
}

/** What a machine needs for it; Debian has it in `slapd` and `ldap-utils`. */
const programs = ["slapd", "ldapadd"];

/** Why there can be none; `undefined` if there can. */
export function slapdMissing(): string | undefined {
  const absent = programs.filter((name) => find(name) === undefined);
  return absent.length === 0 ? undefined : `${absent.join(" and ")} cannot be found on this machine`;
}

/** Starts slapd on a free port of loopback. Entries may change their own password, and nothing else of anybody. */
export async function startSlapd(): Promise<Slapd> {
  const directory = mkdtempSync(join(tmpdir(), "trivium-slapd-"));
  const server: DirectoryServer = {
    url: `ldap://127.0.0.1:${await freePort()}`,
    binddn: "cn=admin,dc=acme,dc=example",
    bindpass: randomBytes(8).toString("hex"),
    userdn: "dc=acme,dc=example",
  };
  mkdirSync(join(directory, "data"));
  const configuration = join(directory, "slapd.conf");
  writeFileSync(configuration, configurationOf(server, directory), { mode: 0o600 });
  // With a debug level it stays in the foreground.
  const child = spawn(find("slapd") ?? "slapd", ["-d", "0", "-h", server.url, "-f", configuration], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(child, "exit");
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
    rmSync(directory, { recursive: true });
  };
  try {
    const ldap = new Ldap(server);
    while (
      child.exitCode === null &&
      !(await ldap.accepts(server.binddn, server.bindpass).catch(() => false))
    ) {
      await sleep(50);
    }
    await ldap.addRoot();
  } catch (error) {
    await close();
    throw error;
  }
  return { ...server, close };
}

function configurationOf({ binddn, bindpass, userdn }: DirectoryServer, directory: string): string {
  return [
    ...["core", "cosine", "inetorgperson"].map((name) => `include /etc/ldap/schema/${name}.schema`),
    "modulepath /usr/lib/ldap",
    "moduleload back_mdb",
    "database mdb",
    `suffix "${userdn}"`,
    `rootdn "${binddn}"`,
    `rootpw ${bindpass}`,
    `directory ${join(directory, "data")}`,
    "access to attrs=userPassword by self write by anonymous auth by * none",
    "access to * by users read",
    "",
  ].join("\n");
}

/** slapd is often where only administrators look. */
function find(program: string): string | undefined {
  const places = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return places.map((place) => join(place, program)).find((file) => existsSync(file));
}
