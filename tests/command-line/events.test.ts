import assert from "node:assert/strict";
import { once } from "node:events";
import { useEmulator } from "../support/use-emulator";
import type { Properties } from "../support/provider-process";
import { until } from "../testing/call";
import { run, stopCommands } from "./binary";
import { eventLine } from "../../sdk/command-line/event-line";
import type { Event } from "../../sdk/scheduler";
import { readFrame } from "../../sdk/scheduler/decoder";
import { recordedStream, startRawScheduler, wireEvent, wireFrame } from "../scheduler/raw-scheduler";
import { stopServers } from "../http/server";

describe("npx pulumi-trivium events", function () {
  this.timeout(60_000);

  const emulator = useEmulator();
  const product = useEmulator({ dialect: { scheduler: "hashicorp" } });
  afterEach(stopCommands);
  afterEach(stopServers);
  const follow = (args: readonly string[] = [], environment = emulator.environment) =>
    run(["events", ...args], environment);
  const emit = (key: string, more: object = {}): void =>
    void emulator.events.emit({ topic: "Node", type: "NodeRegistration", key, ...more });

  it("the events command prints one line per event, for earlier and for new events", async () => {
    emit("n1", { payload: { Node: { ID: "n1", Name: "worker-1", Status: "ready" } } });
    const command = follow();
    await command.lines(1);
    emit("web", { topic: "Job", type: "JobRegistered", payload: { Job: { Name: "web" } } });
    const [first, second] = await command.lines(2);
    assert.match(first ?? "", /^ +1 {2}Node +NodeRegistration +n1 +- +Name=worker-1 Status=ready$/);
    assert.match(second ?? "", /^ +2 {2}Job +JobRegistered +web +default$/);
    const [heading = ""] = command.printed.error.split("\n");
    const columns = { topic: "Node ", type: "NodeRegistration", key: "n1", details: "Name=worker-1" };
    for (const [name, value] of Object.entries(columns)) {
      assert.equal(heading.indexOf(name), first?.indexOf(value), name);
    }
  });

  it("the events command prints the requested events as JSON", async () => {
    emit("n1");
    emit("web", { topic: "Job", type: "JobRegistered", namespace: "team" });
    emit("n2", { payload: { Node: { Name: "größe" } } });
    emit("n3");
    const command = follow("--json --index 2 --namespace * --topic Node:n2 --topic Job".split(" "));
    const [first, second] = (await command.lines(2)).map((line) => JSON.parse(line) as Properties);
    assert.deepEqual([first?.index, first?.key, second?.index, second?.key], [2, "web", 3, "n2"]);
    assert.deepEqual(second?.payload, { Node: { Name: "größe" } });
  });

  it("the events command prints numbers and indexes exactly as sent, and resumes from the exact index", async () => {
    const payload =
      '{"Job":{"SubmitTime":1764365501123456789,"Big":-9007199254740993,"Share":0.10,"Text":"9007199254740993"}}';
    const line = (index: string): string =>
      `{"Index":${index},"Events":[{"Topic":"Job","Type":"JobRegistered","Key":"k","Namespace":"a","FilterKeys":null,"Index":${index},"Payload":${payload}}]}\n`;
    const server = await startRawScheduler((request) => {
      request.write(`{}\n${line(request.number === 1 ? "9007199254740993" : "18446744073709551615")}`);
      if (request.number === 1) {
        request.end();
      }
    });
    const environment = { SCHEDULER_ADDR: server.address, SCHEDULER_TOKEN: "of-a-test" };
    const command = follow(["--json", "--index", "9007199254740993"], environment);
    const lines = await command.lines(2);
    const expected = ["9007199254740993", "18446744073709551615"].map(
      (index) =>
        `{"topic":"Job","type":"JobRegistered","key":"k","namespace":"a","filterKeys":null,"index":${index},"payload":${payload}}`,
    );
    assert.deepEqual(lines, expected);
    const asked = server.requests.map(({ head }) => /index=(\d+)/.exec(head)?.[1]);
    assert.deepEqual(asked, ["9007199254740993", "9007199254740993"]);
    const shown = await follow([], environment).lines(1);
    assert.match(shown[0] ?? "", /^18446744073709551615 {2}Job/);
  });

  it("the events command ends within seconds with an error if the token is wrong", async () => {
    const command = follow([], { ...product.environment, SCHEDULER_TOKEN: "wrong" });
    assert.equal(await command.ended, 1);
    assert.match(command.printed.error, /acl\/token\/self returned 403: Permission denied/);
  });

  for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
    it(`the events command exits with status ${status} on ${signal}, without a message`, async () => {
      const command = follow();
      await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
      command.process.kill(signal as NodeJS.Signals);
      assert.equal(await command.ended, status);
      assert.deepEqual(command.printed, { out: "", error: "" });
      await until(() => emulator.inspect().scheduler.subscriptions.length === 0);
    });
  }

  it("the events command ends without an error when its reader closes", async () => {
    const command = follow();
    emit("n1");
    await command.lines(1);
    const { stdout } = command.process;
    assert.ok(stdout);
    stdout.destroy();
    await once(stdout, "close");
    // The first line that finds no reader tells it.
    const timer = setInterval(() => emit("n2"), 10);
    assert.equal(await command.ended, 0);
    clearInterval(timer);
    assert.match(command.printed.error, /^ +index {2}topic .*details\n$/);
  });

  it("the events command reports interruptions and possible gaps on standard error", async () => {
    const command = follow();
    emit("n1");
    await command.lines(1);
    const refusal = emulator.faults.add({ service: "scheduler", refuse: true });
    const interruption = /^(.*)Reconnecting in \d+(?:\.\d)? s\.$/gm;
    const interruptions = () => [...command.printed.error.matchAll(interruption)].map(([, why = ""]) => why);
    await until(() => interruptions().length >= 4);
    for (let number = 2; number <= 150; number++) {
      emit(`n${number}`);
    }
    refusal.remove();
    await command.lines(101);
    const [first, ...reasons] = interruptions();
    assert.equal(first, "The connection to the scheduler ended. ");
    assert.match(reasons[0] ?? "", /^Could not follow the scheduler's events: GET .* failed: /);
    reasons.forEach((reason, position) => assert.ok(reason === "" || reason !== reasons[position - 1]));
    assert.match(command.printed.error, /Events between the indexes 1 and 51 might have been missed\.\n$/);
    assert.match(command.printed.out, /^ +51 {2}Node/m);
  });

  it("the events command explains how to set the scheduler's address if it is not set", async () => {
    const command = follow([], {});
    assert.equal(await command.ended, 1);
    assert.match(command.printed.error, /SCHEDULER_ADDR.*reads only the environment/);
  });
});

describe("eventLine", () => {
  const eventsOf = (frame: unknown): readonly Event[] =>
    readFrame(frame as Record<string, unknown>)?.events ?? [];
  const lineOf = (members: object): string =>
    eventsOf(wireFrame(7, [wireEvent(7, members as Record<string, unknown>)]))
      .map(eventLine)
      .join();

  it("eventLine is one line for every event of a real scheduler", () => {
    const frames = recordedStream.toString().trim().split("\n");
    for (const each of frames.flatMap((frame) => eventsOf(JSON.parse(frame)))) {
      const line = eventLine(each);
      assert.match(line, /^ *\d+ {2}\w+ +\w+ +\S+ +(?:-|default)(?: {2}.*)?$/);
      assert.ok(line.includes(each.topic) && line.includes(each.type) && line.includes(each.key));
      assert.ok(line.length < 250, line);
    }
  });

  it("eventLine shows the most useful members, and does not repeat the key", () => {
    const Payload = { Allocation: { Name: "web.web[0]", JobID: "web", ClientStatus: "running", Env: "x" } };
    const line = lineOf({ Topic: "Allocation", Key: "web", Namespace: "default", Payload });
    assert.match(line, / default {5}Name=web\.web\[0\] ClientStatus=running$/);
  });

  it("eventLine removes everything that would control the terminal", () => {
    const line = lineOf({ Key: "\u001b[2Jn\n1\u202e", Payload: { Node: { Name: "\u0007" } } });
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(line), JSON.stringify(line));
  });
});
