import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
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

  constructor(temporary: string, engineAddress: string, launcher: readonly string[]) {
    const sdk = "/somewhere/node_modules/@pulumi/pulumi/cmd/dynamic-provider";
    const [command, ...args] = [...launcher, process.execPath, "--eval", script, sdk, engineAddress];
    const env = { ...process.env, TMPDIR: temporary };
    this.child = spawn(command, args, { cwd: repository, env, stdio: ["pipe", "pipe", "inherit"] });
    this.responses = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  get id(): number | undefined {
    return this.child.pid;
  }

  readonly add = (value: string, key = "key") => this.ask("add", "held", key, value);

  readonly find = (key = "key", kind = "held") => this.ask("find", kind, key);

  async assertFound(...values: readonly string[]): Promise<void> {
    assert.deepEqual(await this.find(), values);
  }

  async assertWarnings(count: number): Promise<void> {
    const warnings = (await this.ask("warnings")) as readonly string[];
    assert.equal(warnings.length, count, warnings.join());
    warnings.forEach((warning) => assert.match(warning, /cannot share what they have created/));
  }

  async end(signal?: NodeJS.Signals): Promise<void> {
    const ended = once(this.child, "exit");
    if (signal === undefined) {
      this.child.stdin.end();
    } else if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill(signal);
    } else {
      return;
    }
    await ended;
  }

  private async ask(command: string, ...args: readonly string[]): Promise<unknown> {
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
    await Promise.all(processes.map((each) => each.end("SIGKILL")));
    rmSync(temporary, { recursive: true });
  });
  const start = (engineAddress = operation, launcher: readonly string[] = []): NotingProcess => {
    const started = new NotingProcess(temporary, engineAddress, launcher);
    processes.push(started);
    return started;
  };
  const directory = (): string => {
    const namespace = process.platform === "linux" ? `-${statSync("/proc/self/ns/pid").ino}` : "";
    return join(temporary, `pulumi-trivium-${process.getuid?.() ?? ""}${namespace}`);
  };
  /** The file in which another process that lives would have written notes of the operation. */
  const fileOf = (processId: number): string => {
    const [file = ""] = readdirSync(directory());
    return join(directory(), `${file.split("-")[0] ?? ""}-${processId}`);
  };

  it("notes are visible to the other processes at once, in both directions, by kind and key, but not to other operations or users", async () => {
    const [one, two, foreign] = [start(), start(), start("127.0.0.1:40002")];
    const key = "Projekt Ä";
    await one.add("première", key);
    assert.deepEqual(await two.find(key), ["première"]);
    await two.add("second", key);
    assert.deepEqual(await one.find(key), ["première", "second"]);
    await one.add("third", key);
    assert.deepEqual(await two.find(key), ["première", "second", "third"]);
    assert.deepEqual(await two.find("another key"), []);
    assert.deepEqual(await two.find(key, "claim"), []);
    assert.deepEqual(await foreign.find(key), []);
    if (process.getuid !== undefined) {
      const modes = ["", ...readdirSync(directory())].map(
        (name) => statSync(join(directory(), name)).mode & 0o777,
      );
      assert.deepEqual([...new Set(modes)], [0o700, 0o600]);
    }
  });

  it("notes are read even if there are many", async () => {
    const [one, two] = [start(), start()];
    const values = Array.from({ length: 30 }, (_, index) => `${index} ${"ä".repeat(5_000)}`);
    for (const value of values) {
      await one.add(value);
    }
    await two.assertFound(...values);
  });

  it("notes disappear with their process, even if it is killed, because another engine might get the same address", async () => {
    const [one, two] = [start(), start()];
    await one.add("of one that ended");
    await two.add("of one that was killed");
    await one.end();
    assert.equal(readdirSync(directory()).length, 1);
    await two.end("SIGKILL");
    const next = start();
    await next.assertFound();
    assert.equal(readdirSync(directory()).length, 1);
    await next.end();
    assert.deepEqual(readdirSync(directory()), []);
  });

  it("notes are not removed by a process in another container, where these process IDs have no meaning", async function () {
    if (process.platform !== "linux") {
      return;
    }
    const container = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const isRoot = process.getuid?.() === 0;
    const [one, other] = [start(), start(operation, isRoot ? container : [...container, "--map-root-user"])];
    await one.add("value");
    await other.add("of the container");
    await other.assertFound("of the container");
    await start().assertFound("value");
  });

  const useless: readonly (readonly [what: string, prepare: () => void])[] = [
    ["something else is at the path of the directory", () => writeFileSync(directory(), "")],
    [
      "others could write into the directory",
      () => {
        mkdirSync(directory());
        chmodSync(directory(), 0o777);
      },
    ],
  ];
  for (const [what, prepare] of useless) {
    it(`notes stay in each process, which warns, if ${what}`, async function () {
      if (process.getuid === undefined) {
        return;
      }
      prepare();
      const [one, two] = [start(), start()];
      await one.add("value");
      await one.assertFound("value");
      await two.assertFound();
      await one.assertWarnings(1);
      await two.assertWarnings(1);
      assert.ok(!statSync(directory()).isDirectory() || readdirSync(directory()).length === 0);
    });
  }

  it("notes stay in a process that has lost the directory, which warns once", async () => {
    const [one, two] = [start(), start()];
    await one.find();
    await two.add("of the other");
    rmSync(directory(), { recursive: true });
    await one.add("first");
    await one.add("second");
    await one.assertFound("first", "second");
    await one.assertWarnings(1);
  });

  it("notes stay in a process that cannot write, which warns once, and are shared once there is space again", async function () {
    if (!canFillDisk) {
      return;
    }
    const [one, two] = [start(), start()];
    await one.add("before");
    // In the middle of the next note.
    fillDisk(one.id, 60);
    await one.add("during");
    await one.add("during too", "another");
    await one.assertFound("before", "during");
    await two.assertFound("before");
    await one.assertWarnings(1);
    emptyDisk(one.id);
    await one.add("after");
    await two.assertFound("before", "during", "after");
    assert.deepEqual(await two.find("another"), ["during too"]);
    await two.assertWarnings(0);
  });

  it("notes are read next to lines that are incomplete, invalid or deleted; one warning reports a file that cannot be read", async () => {
    const one = start();
    await one.add("own");
    const other = fileOf(process.pid);
    const note = (value: string): string => JSON.stringify({ kind: "held", key: "key", value });
    const torn = note("torn").slice(0, 20);
    writeFileSync(other, `${torn}\nnull\n[]\n{"kind":"held"}\n{"kind":1,"key":2,"value":3}\n`);
    await one.assertFound("own");
    appendFileSync(other, `${note("whole")}\n${note("half").slice(0, 20)}`);
    await one.assertFound("own", "whole");
    appendFileSync(other, `${note("half").slice(20)}\n`);
    await one.assertFound("own", "whole", "half");
    // A process that gets the same id begins again.
    writeFileSync(other, `${note("again")}\n`);
    await one.assertFound("own", "whole", "half", "again");
    await one.assertWarnings(0);
    mkdirSync(fileOf(process.ppid));
    await one.assertFound("own", "whole", "half", "again");
    await one.assertFound("own", "whole", "half", "again");
    await one.assertWarnings(1);
  });
});
