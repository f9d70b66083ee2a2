import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { canFillDisk, emptyDisk, fillDisk } from "../support/machine";
import { repository } from "../support/packed-library";

/** Reads commands, a line each, and responds to each with a line. */
const script = `
  require("ts-node").register({ transpileOnly: true });
  const progress = require("./sdk/engine/progress");
  const warnings = [];
  progress.logToEngine = (kind, urn, message) => warnings.push(message);
  const { sharedNotes } = require("./sdk/engine/shared-notes");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { command, args } = JSON.parse(line);
    const response = command === "warnings" ? warnings : command === "find"
      ? [...sharedNotes().find(...args)]
      : (sharedNotes().add(...args), null);
    console.log(JSON.stringify(response));
  }).on("close", () => process.exit(0));
`;

/** A process that looks like the engine's for dynamic providers. */
class NotingProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, null>;
  private readonly responses: AsyncIterator<string>;

  get id(): number | undefined {
    return this.child.pid;
  }

  constructor(temporary: string, engineAddress: string, launcher: readonly string[] = []) {
    const sdk = "/somewhere/node_modules/@pulumi/pulumi/cmd/dynamic-provider";
    const [command, ...args] = [...launcher, process.execPath, "--eval", script, sdk, engineAddress];
    this.child = spawn(command, args, {
      cwd: repository,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.responses = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async add(kind: string, key: string, value: string): Promise<void> {
    await this.ask("add", [kind, key, value]);
  }

  async find(kind: string, key: string): Promise<unknown> {
    return this.ask("find", [kind, key]);
  }

  warnings(): Promise<unknown> {
    return this.ask("warnings", []);
  }

  async kill(signal?: NodeJS.Signals): Promise<void> {
    const ended = once(this.child, "exit");
    if (signal === undefined) {
      this.child.stdin.end();
    } else {
      this.child.kill(signal);
    }
    await ended;
  }

  private async ask(command: string, args: readonly string[]): Promise<unknown> {
    this.child.stdin.write(`${JSON.stringify({ command, args })}\n`);
    const response = (await this.responses.next()) as IteratorResult<unknown>;
    return JSON.parse(String(response.value)) as unknown;
  }
}

describe("the notes that the provider processes of an operation share", function () {
  this.timeout(60_000);

  const operation = "127.0.0.1:40001";
  let temporary: string;
  let processes: NotingProcess[];
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), "shared-notes-"));
    processes = [];
  });
  afterEach(async () => {
    await Promise.all(processes.map((each) => each.kill("SIGKILL").catch(() => undefined)));
    rmSync(temporary, { recursive: true });
  });
  const start = (engineAddress = operation, launcher: readonly string[] = []): NotingProcess => {
    const started = new NotingProcess(temporary, engineAddress, launcher);
    processes.push(started);
    return started;
  };
  const end = async (ended: NotingProcess, signal?: NodeJS.Signals): Promise<void> => {
    processes = processes.filter((each) => each !== ended);
    await ended.kill(signal);
  };
  const directory = (): string => {
    const namespace = process.platform === "linux" ? `-${statSync("/proc/self/ns/pid").ino}` : "";
    return join(temporary, `pulumi-trivium-${process.getuid?.() ?? ""}${namespace}`);
  };

  it("notes are seen by the others at once, in both directions", async () => {
    const [one, two] = [start(), start()];
    await one.add("held", "Projekt Ä", "première");
    assert.deepEqual(await two.find("held", "Projekt Ä"), ["première"]);
    await two.add("held", "Projekt Ä", "second");
    assert.deepEqual(await one.find("held", "Projekt Ä"), ["première", "second"]);
    await one.add("held", "Projekt Ä", "third");
    assert.deepEqual(await two.find("held", "Projekt Ä"), ["première", "second", "third"]);
    assert.deepEqual(await two.find("held", "another key"), []);
    assert.deepEqual(await two.find("claim", "Projekt Ä"), []);
  });

  it("notes are read however many there are", async () => {
    const [one, two] = [start(), start()];
    const long = "ä".repeat(5_000);
    for (let index = 0; index < 30; index++) {
      await one.add("held", "key", `${index} ${long}`);
    }
    const found = await two.find("held", "key");
    assert.deepEqual(
      found,
      Array.from({ length: 30 }, (_, index) => `${index} ${long}`),
    );
  });

  it("notes are not those of another operation", async () => {
    const [one, two] = [start(), start("127.0.0.1:40002")];
    await one.add("held", "key", "value");
    assert.deepEqual(await two.find("held", "key"), []);
  });

  it("notes go with their process, also when that is killed: the engine may get the same address again", async () => {
    const [one, two] = [start(), start()];
    await one.add("held", "key", "of one that ended");
    await two.add("held", "key", "of one that was killed");
    await end(one);
    assert.equal(readdirSync(directory()).length, 1);
    await end(two, "SIGKILL");
    const next = start();
    assert.deepEqual(await next.find("held", "key"), []);
    assert.equal(readdirSync(directory()).length, 1);
    await end(next);
    assert.deepEqual(readdirSync(directory()), []);
  });

  it("notes are not removed by a process of another container, where the ids of these processes mean nothing", async function () {
    if (process.platform !== "linux") {
      return;
    }
    const container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const isRoot = process.getuid?.() === 0;
    const [one, other] = [start(), start(operation, isRoot ? container : [...container, "--map-root-user"])];
    await one.add("held", "key", "value");
    await other.add("held", "key", "of the container");
    assert.deepEqual(await other.find("held", "key"), ["of the container"]);
    assert.deepEqual(await start().find("held", "key"), ["value"]);
  });

  it("notes are for this user alone", async function () {
    if (process.getuid === undefined) {
      return;
    }
    await start().add("held", "key", "value");
    assert.equal(statSync(directory()).mode & 0o777, 0o700);
    for (const name of readdirSync(directory())) {
      assert.equal(statSync(join(directory(), name)).mode & 0o777, 0o600);
    }
  });

  it("notes stay in each process, which warns, where others could write into the directory", async function () {
    if (process.getuid === undefined) {
      return;
    }
    mkdirSync(directory());
    chmodSync(directory(), 0o777);
    await assertOwn();
    assert.deepEqual(readdirSync(directory()), []);
  });

  it("notes stay in each process, which warns, where something else is in the place of the directory", async () => {
    writeFileSync(directory(), "");
    await assertOwn();
    assert.ok(existsSync(directory()));
  });

  it("notes stay in a process that has lost the directory, which warns once", async () => {
    const [one, two] = [start(), start()];
    await one.find("held", "key");
    await two.add("held", "key", "of the other");
    rmSync(directory(), { recursive: true });
    await one.add("held", "key", "first");
    await one.add("held", "key", "second");
    assert.deepEqual(await one.find("held", "key"), ["first", "second"]);
    assert.deepEqual(await one.find("held", "key"), ["first", "second"]);
    await assertWarnedOnce(one);
    await end(one);
  });

  it("notes stay in a process that cannot write, which warns once, and are shared when there is room again", async function () {
    if (!canFillDisk) {
      return;
    }
    const [one, two] = [start(), start()];
    await one.add("held", "key", "before");
    // In the middle of the next note.
    fillDisk(one.id, 60);
    await one.add("held", "key", "during");
    await one.add("held", "another", "during too");
    assert.deepEqual(await one.find("held", "key"), ["before", "during"]);
    assert.deepEqual(await two.find("held", "key"), ["before"]);
    await assertWarnedOnce(one);
    emptyDisk(one.id);
    await one.add("held", "key", "after");
    assert.deepEqual(await two.find("held", "key"), ["before", "during", "after"]);
    assert.deepEqual(await two.find("held", "another"), ["during too"]);
    assert.deepEqual(await two.warnings(), []);
  });

  it("notes are read beside lines that are torn, no notes, or not there any more", async () => {
    const one = start();
    await one.add("held", "key", "own");
    const [file = ""] = readdirSync(directory());
    // This process lives, as the writer of a line has to.
    const other = join(directory(), `${file.split("-")[0] ?? ""}-${process.pid}`);
    const note = (value: string): string => JSON.stringify({ kind: "held", key: "key", value });
    writeFileSync(
      other,
      `${note("torn").slice(0, 20)}\nnull\n[]\n{"kind":"held"}\n{"kind":1,"key":2,"value":3}\n`,
    );
    assert.deepEqual(await one.find("held", "key"), ["own"]);
    appendFileSync(other, `${note("whole")}\n${note("half").slice(0, 20)}`);
    assert.deepEqual(await one.find("held", "key"), ["own", "whole"]);
    appendFileSync(other, `${note("half").slice(20)}\n`);
    assert.deepEqual(await one.find("held", "key"), ["own", "whole", "half"]);
    // A process that gets the same id begins anew.
    writeFileSync(other, `${note("anew")}\n`);
    assert.deepEqual(await one.find("held", "key"), ["own", "whole", "half", "anew"]);
    assert.deepEqual(await one.warnings(), []);
    rmSync(other);
  });

  it("notes are found although the file of another process cannot be read, of which a warning tells once", async () => {
    const one = start();
    await one.add("held", "key", "own");
    const [file = ""] = readdirSync(directory());
    mkdirSync(join(directory(), `${file.split("-")[0] ?? ""}-${process.pid}`));
    assert.deepEqual(await one.find("held", "key"), ["own"]);
    assert.deepEqual(await one.find("held", "key"), ["own"]);
    await assertWarnedOnce(one);
  });

  async function assertWarnedOnce(process: NotingProcess): Promise<void> {
    const warnings = JSON.stringify(await process.warnings());
    assert.match(warnings, /^\["[^"]*cannot share what they have created[^"]*"\]$/);
  }

  async function assertOwn(): Promise<void> {
    const [one, two] = [start(), start()];
    await one.add("held", "key", "value");
    assert.deepEqual(await one.find("held", "key"), ["value"]);
    assert.deepEqual(await two.find("held", "key"), []);
    for (const each of [one, two]) {
      assert.match(JSON.stringify(await each.warnings()), /cannot share what they have created/);
    }
  }
});
