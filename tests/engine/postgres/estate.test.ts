import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { textsIn } from "../../support/texts-in";
import { until } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";
import { reasonAgainstPostgres } from "./installation";
import { Machine } from "./machine";
import { cutPower } from "./power-cut";
import { PostgresServer } from "./server";

const organization = "acme";
const signingKey = "canary-signing-key-3e90";
/** What the service takes in a second; the stacks of the crowd together want far more. */
const requestsPerSecond = 6;
const [teamA, teamB] = ["team-a", "team-b"];
const crowd = Array.from({ length: 10 }, (_, index) => `crowd-${index}`);

describe("an estate in several stacks, whose states are in PostgreSQL", function () {
  this.timeout(300_000);

  const reason = reasonAgainstPostgres();
  if (reason !== undefined) {
    it.skip(`is left out: ${reason}`);
    return;
  }

  let server: PostgresServer;
  let emulator: Emulator;
  let receiver: Receiver;
  /** The machine of whoever set everything up, and another one. */
  let desk: Machine;
  let runner: Machine;
  const printed: string[] = [];

  const pulumi = async (machine: Machine, stack: string, ...command: readonly string[]): Promise<string> => {
    const text = await machine.pulumi(stack, ...command);
    printed.push(text);
    return text;
  };
  const up = (machine: Machine, stack: string): Promise<string> =>
    pulumi(machine, stack, "up", "--yes", "--skip-preview");
  const projects = (): string[] =>
    emulator
      .inspect()
      .provisioning.projects.filter(({ isDefault }) => !isDefault)
      .map(({ name }) => name);
  const configure = (stack: string, plain: readonly string[], secret: readonly string[] = []) =>
    pulumi(
      desk,
      stack,
      ...["config", "set-all", "--path"],
      ...plain.flatMap((setting) => ["--plaintext", setting]),
      ...secret.flatMap((setting) => ["--secret", setting]),
    );
  const newWorkspace = (): string => emulator.provisioning.addWorkspace({ organization }).id;
  const setUpTeam = async (team: string): Promise<void> => {
    desk.writeSettings(team, {
      "trivium:provisioningMaxConcurrency": "1",
      "trivium-estate-team:workspaces": {
        web: newWorkspace(),
        worker: newWorkspace(),
        reports: newWorkspace(),
      },
    });
    await pulumi(desk, team, "stack", "init");
  };
  const addWorkspace = (team: string) => configure(team, [`workspaces.added=${newWorkspace()}`]);
  /** What somebody is told whose update may not begin. */
  const refused = async (machine: Machine, stack: string): Promise<string> => {
    const { succeeded, text } = await machine.try(stack, "up", "--yes", "--skip-preview");
    printed.push(text);
    assert.equal(succeeded, false);
    return text;
  };
  /** The workspaces that are in a team's project, and those whose runs are announced for it. */
  const workspacesOf = (team: string) => {
    const { projects, workspaces, notificationConfigurations } = emulator.inspect().provisioning;
    const project = projects.find(({ name }) => name === team);
    return {
      inProject: workspaces
        .filter(({ projectId }) => projectId === project?.id)
        .map(({ id }) => id)
        .toSorted(),
      announced: notificationConfigurations
        .filter(({ name }) => name.startsWith(`${team}-`))
        .map(({ workspaceId }) => workspaceId)
        .toSorted(),
    };
  };
  /** Each of so many workspaces is in the team's project, and its runs are announced once. */
  const assertComplete = (team: string, count: number): void => {
    const { inProject, announced } = workspacesOf(team);
    assert.equal(inProject.length, count, team);
    assert.deepEqual(announced, inProject, team);
  };

  before(async function () {
    this.timeout(900_000);
    [server, emulator, receiver] = await Promise.all([
      PostgresServer.start(),
      startEmulator({ dialect: "hashicorp", provisioning: { requestsPerSecond } }),
      startReceiver(),
    ]);
    emulator.provisioning.addOrganization({ name: organization });
    [desk, runner] = [await Machine.create(server, emulator), await Machine.create(server, emulator)];
    const fallback = emulator.inspect().provisioning.projects.find(({ isDefault }) => isDefault)?.id ?? "";

    printed.push(await desk.login(), await runner.login());
    await pulumi(desk, "foundation", "stack", "init");
    await configure(
      "foundation",
      [`fallbackProjectId=${fallback}`],
      [`receiverUrl=${receiver.address}`, `signingKey=${signingKey}`],
    );
    await Promise.all([teamA, teamB].map(setUpTeam));
    runner.pull(desk);
  });
  after(async () => {
    [desk, runner].forEach((machine) => machine.remove());
    await Promise.all([server.close(), emulator.close(), receiver.close()]);
  });

  it("comes up stack by stack, from two machines, and then stays as it is", async () => {
    await up(desk, "foundation");
    await Promise.all([up(desk, teamA), up(runner, teamB)]);
    [teamA, teamB].forEach((team) => assertComplete(team, 3));
    const { notificationConfigurations } = emulator.inspect().provisioning;
    assert.ok(notificationConfigurations.every(({ token }) => token === signingKey));
    await pulumi(runner, teamA, "preview", "--refresh", "--expect-no-changes");
  });

  it("is changed by one at a time: the second update fails and names the first, and only a preview is possible", async () => {
    await configure("foundation", [
      ...[teamA, teamB, ...crowd].map((name, index) => `teams[${index}]=${name}`),
      // Requests are held below for longer than anybody would wait.
      "trivium:provisioningRequestTimeout=5m",
    ]);
    runner.pull(desk);
    const held = emulator.faults.add({ delay: "1h", method: "POST" });
    const first = up(desk, "foundation");
    await until(() => held.hits > 0);

    const second = await refused(runner, "foundation");
    assert.match(second, /the stack is currently locked by 1 lock\(s\)/);
    assert.match(second, /created by \S+@\S+ \(pid \d+\)/);
    assert.match(await pulumi(runner, "foundation", "preview"), /to create/);

    emulator.advance("1h");
    await first;
    assert.match(await up(runner, "foundation"), /\b13 unchanged/);
    assert.deepEqual(projects().toSorted(), [...crowd, teamA, teamB].toSorted());
  });

  it("goes on when the database is away for a moment", async () => {
    await addWorkspace(teamA);
    emulator.journal.clear();
    const held = emulator.faults.add({ delay: "1h", method: "POST" });
    const update = up(desk, teamA);
    await until(() => held.hits > 0);
    await server.interrupt();
    emulator.advance("1h");
    // What was made is noted in the state while there is none to write to.
    await until(() =>
      emulator.journal.requests().some(({ fault, status }) => fault !== null && status !== null),
    );
    await server.resume();
    await update;
    assertComplete(teamA, 4);
    const ids = JSON.parse(
      await pulumi(runner, teamA, "stack", "output", "--json", "notificationIds"),
    ) as unknown[];
    assert.equal(ids.length, 4);
  });

  it("stays locked when a machine dies in the middle, until somebody says so", async () => {
    await addWorkspace(teamB);
    const held = emulator.faults.add({ delay: "forever", method: "POST", times: 100 });
    const pipeline = await desk.begin(teamB, "up", "--yes", "--skip-preview");
    await until(() => held.hits > 0);
    await cutPower(pipeline);
    held.remove();

    runner.pull(desk);
    const text = await refused(runner, teamB);
    assert.match(text, new RegExp(`currently locked .*pulumi cancel.*\\(pid ${pipeline.pid}\\)`, "s"));
    await pulumi(runner, teamB, "cancel", "--yes");
    assert.match(await up(runner, teamB), /interrupted while (?:creating|updating)/);
    assertComplete(teamB, 4);
  });

  it("has ten stacks changed at once, within what the service takes in a second", async () => {
    await Promise.all(crowd.map(setUpTeam));
    runner.pull(desk);
    emulator.journal.clear();
    const slow = emulator.faults.add({ latency: "100ms" });
    await Promise.all(crowd.map((team, index) => up(index % 2 === 0 ? desk : runner, team)));
    slow.remove();
    crowd.forEach((team) => assertComplete(team, 3));
    const turnedAway = emulator.journal.count({ status: 429 });
    const { answered, mostInFlight } = emulator.provisioning.statistics;
    assert.ok(turnedAway > 0, "the service was never asked too much");
    // Who does not wait as long as it is told to is turned away at each of ten attempts a second.
    assert.ok(turnedAway < 5 * (answered - turnedAway), `${turnedAway} of ${answered} were turned away`);
    assert.ok(mostInFlight > 1 && mostInFlight <= crowd.length, `${mostInFlight} at once, each process one`);
  });

  it("gives the workspaces of a team back when its stack is destroyed", async () => {
    await pulumi(desk, teamA, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(workspacesOf(teamA), { inProject: [], announced: [] });
    await pulumi(desk, teamA, "stack", "rm", "--yes");
    const stacks = await pulumi(runner, teamB, "stack", "ls");
    assert.doesNotMatch(stacks, /team-a/);
    [teamB, ...crowd].forEach((team) => assert.match(stacks, new RegExp(`^${team}\\b`, "m")));
  });

  it("has never shown a secret in clear, nor the password of the database", async () => {
    const rows = await server.query("select data->>'data' from pulumi_state");
    const states = rows.map((row) => Buffer.from(row, "base64").toString()).join("\n");
    assert.match(states, /trivium-estate-team/);
    const shown = [states, ...printed, await textsIn(desk.path), await textsIn(runner.path)].join("\n");
    for (const secret of [
      signingKey,
      receiver.address,
      emulator.provisioning.token,
      ...Object.values(server.environment),
    ]) {
      assert.ok(!shown.includes(secret), `${secret} was shown`);
    }
  });
});
