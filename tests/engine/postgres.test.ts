import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../scripts/free-port";
import { directoriesOnPath, isExecutable } from "../../scripts/programs";
import { installPackage } from "../support/machine";
import { textsIn } from "../support/texts";
import { useEmulator } from "../support/use-emulator";
import { useRunning } from "../support/use-running";
import { testCli } from "./support/cli";
import { cutPower, until } from "./support/processes";
import { configSet, ProgramDirectory } from "./support/program-directory";
import { projectsIn } from "./support/projects";
import { useReceiver } from "./support/receiver";

const organization = "acme";
const signingKey = "canary-signing-key-3e90";
/** What the service takes in a second; the stacks of the other teams together need far more. */
const requestsPerSecond = 6;
const [teamA, teamB] = ["team-a", "team-b"];
/** Teams whose stacks are made at once. */
const otherTeams = Array.from({ length: 10 }, (_, index) => `other-${index}`);
const teams = [teamA, teamB, ...otherTeams];
const foundation = "foundation";

/** The directory of PostgreSQL's programs: on PATH, or Debian's, of the newest version. */
function postgresPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
  const directories = newestFirst.map((version) => join(debian, version, "bin"));
  return [...directoriesOnPath(process.env), ...directories].find((directory) =>
    ["initdb", "postgres", "psql"].every((name) => isExecutable(join(directory, name))),
  );
}

/** A PostgreSQL server on loopback with an empty database for the states of stacks. */
async function startPostgres() {
  if (postgresPrograms() === undefined) {
    installPackage("postgresql");
  }
  const programs = postgresPrograms() ?? assert.fail("the package postgresql has no server");
  const directory = mkdtempSync(join(tmpdir(), "postgres-"));
  const environment = { PGPASSWORD: randomBytes(16).toString("hex") };
  writeFileSync(join(directory, "password"), environment.PGPASSWORD);
  // It refuses to be root.
  let account: { readonly uid?: number; readonly gid?: number } = {};
  if (process.getuid?.() === 0) {
    const [uid = 0, gid = 0] = ["-u", "-g"].map((which) => Number(execFileSync("id", [which, "postgres"])));
    [directory, join(directory, "password")].forEach((path) => chownSync(path, uid, gid));
    account = { uid, gid };
  }
  const options = ["-U", "pulumi", "-A", "scram-sha-256", "--pwfile=password", "-E", "UTF8", "--no-sync"];
  const initialize = ["-D", "data", ...options, "--locale=C"];
  execFileSync(join(programs, "initdb"), initialize, { ...account, cwd: directory, stdio: "ignore" });
  const port = String(await freePort());
  // It ends when nobody holds the standard input open: also when this process is killed.
  const script = '"$0" -D data -h 127.0.0.1 -p "$1" -k "" & cat >/dev/null; kill -INT $!; wait $!';
  const server = spawn("sh", ["-c", script, join(programs, "postgres"), port], {
    ...account,
    cwd: directory,
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let text = "";
  server.stderr.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await until(() => text.includes("ready to accept connections") || server.exitCode !== null);
  assert.equal(server.exitCode, null, text);
  /** What `pulumi login` takes. The password is not in it. */
  const url = `postgres://pulumi@127.0.0.1:${port}/postgres?sslmode=disable`;
  return {
    url,
    environment,
    /** The rows that a query of one column returns. */
    async query(statement: string): Promise<readonly string[]> {
      const env = { ...process.env, ...environment };
      const command = [url, "-At", "-c", statement];
      const finished = promisify(execFile)(join(programs, "psql"), command, { env, maxBuffer: 2 ** 28 });
      return (await finished).stdout.split("\n").filter((line) => line !== "");
    },
    async close(): Promise<void> {
      const closed = once(server, "close");
      server.stdin.end();
      await closed;
      rmSync(directory, { recursive: true });
    },
  };
}

/** Has the settings of all stacks as another machine has them: they are files in the repository. */
function pull(into: ProgramDirectory, from: ProgramDirectory): void {
  for (const project of [foundation, "team"]) {
    readdirSync(join(from.path, project))
      .filter((name) => /^Pulumi\..+\.yaml$/.test(name))
      .forEach((name) => copyFileSync(join(from.path, project, name), join(into.path, project, name)));
  }
}

describe("the example `estate` in several stacks, whose states are in PostgreSQL", function () {
  this.timeout(300_000);

  if (postgresPrograms() === undefined && process.getuid?.() !== 0) {
    it.skip(
      "the test with PostgreSQL is left out: there is no PostgreSQL server, and only root can install Debian's package postgresql",
    );
    return;
  }

  const server = useRunning(
    "a database",
    () => startPostgres(),
    (started) => started.close(),
  );
  const emulator = useEmulator({ resets: false, dialect: "hashicorp", provisioning: { requestsPerSecond } });
  const receiver = useReceiver();
  /** The machine of the person who set everything up, and another one: clones of the example with homes of their own. */
  let desk: ProgramDirectory;
  let runner: ProgramDirectory;

  const newMachine = async (): Promise<ProgramDirectory> => {
    const clone = ProgramDirectory.ofExample("estate", {
      ...emulator.environment,
      ...server.environment,
      // Which backend is used is what the machine has logged in to.
      PULUMI_BACKEND_URL: "",
      // Of this depends how many connections the CLI has: with too few it waits for itself.
      GOMAXPROCS: "16",
    });
    await clone.succeed(["login", server.url]);
    return clone;
  };
  /** Runs a command on the stack of a team, or on that of the foundation. */
  const pulumi = (machine: ProgramDirectory, stack: string, ...command: readonly string[]) => {
    const [folder, name] = stack === foundation ? [foundation, "production"] : ["team", stack];
    return machine.succeed([...command, "--stack", name], { folder });
  };
  const up = (machine: ProgramDirectory, stack: string) =>
    pulumi(machine, stack, "up", "--yes", "--skip-preview");
  const newWorkspace = (): string => emulator.provisioning.addWorkspace({ organization }).id;
  /** Each of so many workspaces is in the team's project, and its runs are announced once. */
  const assertComplete = (team: string, count: number): void => {
    const { projects, workspaces, notificationConfigurations } = emulator.inspect().provisioning;
    const project = projects.find(({ name }) => name === team);
    const inProject = workspaces.filter(({ projectId }) => projectId === project?.id).map(({ id }) => id);
    const announced = notificationConfigurations
      .filter(({ name }) => name.startsWith(`${team}-`))
      .map(({ workspaceId }) => workspaceId);
    assert.equal(inProject.length, count, team);
    assert.deepEqual(announced.sort(), inProject.sort(), team);
  };

  before(async function () {
    this.timeout(900_000);
    emulator.provisioning.addOrganization({ name: organization });
    [desk, runner] = [await newMachine(), await newMachine()];
    const fallback = emulator.inspect().provisioning.projects.find(({ isDefault }) => isDefault)?.id ?? "";
    await pulumi(desk, foundation, "stack", "init");
    const names = Object.fromEntries(teams.map((name, index) => [`teams[${index}]`, name]));
    const secret = { receiverUrl: receiver.address, signingKey };
    await pulumi(desk, foundation, ...configSet({ fallbackProjectId: fallback, ...names }, secret));
    await Promise.all(
      teams.map((team) => {
        const workspaces = { web: newWorkspace(), worker: newWorkspace(), reports: newWorkspace() };
        const concurrency = { "trivium:provisioningMaxConcurrency": "1" };
        const config = { ...concurrency, "trivium-estate-team:workspaces": workspaces };
        // What is JSON is YAML too.
        desk.write(join("team", `Pulumi.${team}.yaml`), JSON.stringify({ config }));
        return pulumi(desk, team, "stack", "init");
      }),
    );
    pull(runner, desk);
  });
  after(() => [desk, runner].forEach((machine) => machine.remove()));

  it("the example is deployed stack by stack from two machines, and a second update changes nothing", async () => {
    await up(desk, foundation);
    assert.deepEqual(
      projectsIn(emulator)
        .map(({ name }) => name)
        .toSorted(),
      [...teams].sort(),
    );
    await Promise.all([up(desk, teamA), up(runner, teamB)]);
    [teamA, teamB].forEach((team) => assertComplete(team, 3));
    const { notificationConfigurations } = emulator.inspect().provisioning;
    assert.ok(notificationConfigurations.every(({ token }) => token === signingKey));
    await pulumi(runner, teamA, "preview", "--refresh", "--expect-no-changes");
  });

  it("a stack is updated by one machine at a time, and stays locked after a machine has failed, until somebody removes the lock", async () => {
    await pulumi(desk, teamB, ...configSet({ "workspaces.added": newWorkspace() }));
    pull(runner, desk);
    const held = emulator.faults.add({ delay: "forever", method: "POST", times: 100 });
    const { command: cli } = (await testCli()).command;
    const words = ["up", "--yes", "--skip-preview", "--stack", teamB, "--non-interactive"];
    const env = await desk.pulumiEnvironment();
    const pipeline = spawn(cli, words, { cwd: join(desk.path, "team"), env, stdio: "ignore" });
    await until(() => held.hits > 0);
    assert.match(await pulumi(runner, teamB, "preview"), /to create/);
    const ended = once(pipeline, "close");
    cutPower(pipeline.pid);
    await ended;
    held.remove();

    const { succeeded, text } = await runner.pulumi(words.slice(0, -1), { folder: "team" });
    assert.equal(succeeded, false);
    const lock = `currently locked by 1 lock\\(s\\).*pulumi cancel.*created by \\S+@\\S+ \\(pid ${pipeline.pid}\\)`;
    assert.match(text, new RegExp(lock, "s"));
    await pulumi(runner, teamB, "cancel", "--yes");
    assert.match(await up(runner, teamB), /interrupted while (?:creating|updating)/);
    assertComplete(teamB, 4);
  });

  it("ten stacks are updated at once within the service's rate limit", async () => {
    emulator.journal.clear();
    const slow = emulator.faults.add({ latency: "100ms" });
    await Promise.all(otherTeams.map((team, index) => up(index % 2 === 0 ? desk : runner, team)));
    slow.remove();
    otherTeams.forEach((team) => assertComplete(team, 3));
    const rejected = emulator.journal.count({ status: 429 });
    const { answered, mostInFlight } = emulator.provisioning.statistics;
    assert.ok(rejected > 0, "the limit was never exceeded");
    // Processes that do not wait as long as the service asks are rejected at each of ten attempts a second.
    assert.ok(rejected < 5 * (answered - rejected), `${rejected} of ${answered} were rejected`);
    assert.ok(mostInFlight > 1 && mostInFlight <= otherTeams.length, `${mostInFlight} at once`);
  });

  it("a team's workspaces are returned when its stack is destroyed", async () => {
    await pulumi(desk, teamA, "destroy", "--yes", "--skip-preview");
    assertComplete(teamA, 0);
    await pulumi(desk, teamA, "stack", "rm", "--yes");
    const stacks = await pulumi(runner, teamB, "stack", "ls");
    assert.doesNotMatch(stacks, /team-a/);
    assert.match(stacks, /^team-b\b/m);
  });

  it("the state backend has never shown a secret or the database password in plain text", async () => {
    const rows = await server.query("select data->>'data' from pulumi_state");
    const states = rows.map((row) => Buffer.from(row, "base64").toString()).join("\n");
    assert.match(states, /trivium-estate-team/);
    const files = await Promise.all([desk, runner].map(({ path }) => textsIn(path)));
    const shown = [states, desk.output, runner.output, ...files].join("\n");
    const { token } = emulator.provisioning;
    for (const secret of [signingKey, receiver.address, token, server.environment.PGPASSWORD]) {
      assert.ok(!shown.includes(secret), `${secret} was shown`);
    }
  });
});
