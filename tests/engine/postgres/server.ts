import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../../scripts/free-port";
import { postgresPrograms } from "./installation";

/** Whom the server runs as. */
interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** What a server is made of. */
interface Parts {
  readonly guard: ChildProcess;
  readonly directory: string;
  readonly programs: string;
  readonly account: Account;
  readonly port: number;
  readonly password: string;
}

const run = promisify(execFile);
/** The database, and the role that owns it. */
const name = "pulumi";
const portsTried = 3;

/** A PostgreSQL server on loopback with an empty database for the states of stacks. */
export class PostgresServer {
  private constructor(private readonly parts: Parts) {}

  /**
   * Starts a server of its own, after installing PostgreSQL where it is missing.
   *
   * @throws Error that says why there can be none
   */
  static async start(): Promise<PostgresServer> {
    const programs = postgresPrograms();
    for (let tried = 1; ; tried++) {
      try {
        return new PostgresServer(await start(programs, await freePort()));
      } catch (error) {
        // Somebody else may have taken the port meanwhile.
        if (tried === portsTried || !String(error).includes("could not bind")) {
          throw error;
        }
      }
    }
  }

  /** What `pulumi login` takes. The password is not in it. */
  get url(): string {
    return `postgres://${name}@127.0.0.1:${this.parts.port}/${name}?sslmode=disable`;
  }

  /** The password that belongs to the address, in the variable that PostgreSQL's clients read. */
  get environment(): Readonly<Record<"PGPASSWORD", string>> {
    return { PGPASSWORD: this.parts.password };
  }

  /** The rows that a query of one column answers. */
  async query(statement: string): Promise<readonly string[]> {
    const { programs, port } = this.parts;
    const { stdout } = await run(
      join(programs, "psql"),
      ["-h", "127.0.0.1", "-p", String(port), "-U", name, "-d", name, "-At", "-c", statement],
      { env: { ...process.env, ...this.environment }, maxBuffer: 2 ** 28 },
    );
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** Stops the server as its operator does for an upgrade: who is connected is cut off. */
  async interrupt(): Promise<void> {
    await this.control("stop", "-m", "fast");
  }

  /** Starts it again, with what was in it and at the same address. */
  async resume(): Promise<void> {
    await this.control("start", "-l", "log");
  }

  /** Ends the server, and removes all that it has written. */
  async close(): Promise<void> {
    const { guard } = this.parts;
    const closed = once(guard, "close");
    guard.stdin?.end();
    await closed;
  }

  private async control(...parameters: readonly string[]): Promise<void> {
    const { programs, directory, account, port } = this.parts;
    const server = `-h 127.0.0.1 -p ${port} -c unix_socket_directories=''`;
    const control = spawn(join(programs, "pg_ctl"), [...parameters, "-w", "-D", "data", "-o", server], {
      ...account,
      cwd: directory,
      stdio: "ignore",
    });
    const [code] = (await once(control, "exit")) as [number | null];
    if (code !== 0) {
      throw new Error(`pg_ctl ${parameters.join(" ")} failed with ${String(code)}.`);
    }
  }
}

async function start(programs: string, port: number): Promise<Parts> {
  const account = serverAccount();
  const directory = mkdtempSync(join(tmpdir(), "postgres-"));
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(directory, account.uid, account.gid);
  }
  const password = randomBytes(16).toString("hex");
  // Its text and not its path, for the server's account need not be able to read this repository.
  const script = readFileSync(join(__dirname, "server.sh"), "utf8");
  const guard = spawn("sh", ["-c", script, "server.sh", directory, programs, String(port), name], {
    ...account,
    cwd: directory,
    env: { ...process.env, LC_ALL: "C", PGPASSWORD: password },
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C reaches a whole group; this has to outlive it by the moment that cleaning up takes.
    detached: true,
  });
  let problem = "";
  guard.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text));
  const ended = once(guard, "close").then(() => "");
  const said = once(guard.stdout, "data").then(([text]) => String(text));
  if ((await Promise.race([said, ended])) === "") {
    throw new Error(`PostgreSQL did not start:\n${problem}`);
  }
  return { guard, directory, programs, account, port, password };
}

/** The server refuses to run as root. */
function serverAccount(): Account {
  if (process.getuid?.() !== 0) {
    return {};
  }
  const [uid, gid] = ["-u", "-g"].map((which) =>
    Number(execFileSync("id", [which, "postgres"], { encoding: "utf8" })),
  );
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}
