import assert from "node:assert/strict";
import { faultKinds } from "../faults/support/experiment";
import { type Intervention, Proxy, type SeenRequest, services } from "../support/proxy";
import { prepareCase, type PreparedCase } from "../support/services";
import { useEmulator } from "../support/use-emulator";
import { providerProcesses, until } from "./support/processes";
import { failureOf } from "./support/projects";
import { type Receiver, useReceiver } from "./support/receiver";
import { type Program, SharedStack } from "./support/shared-stack";
import { configurationOf } from "./support/configuration";
import type { Emulator, Inspection } from "pulumi-trivium/testing";
import { casesIn } from "../cases";
import { canAdopt, type ResourceCase } from "../cases/support/case";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { classOf } from "./support/tested-resource";

/** One of the resources. */
class Member {
  /** Its name in the program. */
  readonly name: string;
  /** Its type in state. */
  readonly type: string;

  constructor(
    readonly resourceCase: ResourceCase,
    readonly prepared: PreparedCase,
    /** What its requests contain and nobody else's. */
    private marks: readonly string[],
  ) {
    this.name = resourceCase.type.replace(/.*:/, `${marks[0] ?? ""}-`);
    this.type = `pulumi-nodejs:dynamic/trivium/${resourceCase.type}`;
  }

  /** Notes the id of its object, by which later requests name it. */
  meet(id: string | undefined): void {
    this.marks = id === undefined ? this.marks : [...this.marks, id];
  }

  /** Whether a request is one of its own that changes something in the service. */
  writes({ service, method, target, body }: SeenRequest): boolean {
    if (this.resourceCase.type === "scheduler:EventGate") {
      return service === "scheduler";
    }
    const text = `${target} ${body}`;
    return (method !== "GET" || target.includes("/creds/")) && this.marks.some((mark) => text.includes(mark));
  }

  declare({ adopts, changed }: { readonly adopts: boolean; readonly changed: boolean }): void {
    const resourceClass = classOf(this.resourceCase);
    const declared = changed ? this.prepared.changed : this.prepared.made;
    const adopt = adopts && canAdopt(resourceClass.definition);
    const more = adopt ? { adopt } : {};
    new resourceClass(this.name, { ...declared, ...more });
  }
}

/** A resource of every class, side by side in the services of one emulator. */
async function prepareMembers(emulator: Emulator, receiver: Receiver): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const [index, resourceCase] of [...casesIn("documented").values()].entries()) {
    const mark = `m${index + 1}q`;
    const prepared = await prepareCase(emulator, receiver, resourceCase, { mark });
    const ids = Object.entries(prepared.made).flatMap(([name, value]) =>
      name.endsWith("Id") && name !== "fallbackProjectId" && typeof value === "string" ? [value] : [],
    );
    members.push(new Member(resourceCase, prepared, [mark, ...ids]));
  }
  return members;
}

/** How many things there are of each kind. */
function countsOf({ provisioning, secrets }: Inspection): Readonly<Record<string, number>> {
  const lists = [provisioning, secrets].flatMap((service) => Object.entries(service as object));
  return Object.fromEntries(
    lists.flatMap(([name, list]: [string, unknown]) =>
      Array.isArray(list) ? [[name, list.length] as const] : [],
    ),
  );
}

/** All that can happen to a request; connections that are refused and processes that are killed are apart. */
const strikes = faultKinds.filter(({ effect, kills }) => effect !== undefined && kills !== true);

/**
 * With `--continue-on-error` the engine waits for ever when the deletion fails of something that is deleted before it
 * is replaced, whatever its provider.
 */
const deletedBeforeReplaced: ReadonlySet<string> = new Set([
  "secrets/mfa:TotpSecret",
  "secrets/directory:LibraryCheckout",
]);

describe("a resource of every class, while requests fail, with the real CLI", function () {
  this.timeout(300_000);

  const emulator = useEmulator({ tokens });
  /** Before the services, to refuse connections. */
  let proxy: Proxy;
  const receiver = useReceiver();
  let stack: SharedStack;
  let all: readonly Member[];
  let counts: Readonly<Record<string, number>>;

  beforeEach(async () => {
    all = await prepareMembers(emulator, receiver);
    counts = countsOf(emulator.inspect());
    proxy = await Proxy.start(emulator);
    const settings = services.map((service) => ({
      ...configurationOf({ [service]: { address: proxy.address(service), token: tokens[service] } }),
      [`trivium:${service}MaxRetries`]: "0",
      // Longer than any response takes, and short enough to be waited for in vain.
      [`trivium:${service}RequestTimeout`]: "8s",
    }));
    stack = await SharedStack.create(
      "engine-faults",
      Object.assign({}, ...settings) as Record<string, string>,
    );
  });
  afterEach(() => {
    stack.remove();
    proxy.close();
  });

  /**
   * Declares them all.
   *
   * @param changed whether their arguments are those after a change
   * @param adopts which of them, by name, are to take over what exists
   */
  const programOf =
    ({
      changed = false,
      adopts = () => false,
    }: { readonly changed?: boolean; readonly adopts?: (name: string) => boolean } = {}): Program =>
    () => {
      all.forEach((member) => member.declare({ changed, adopts: adopts(member.name) }));
    };

  /** Lets something happen to the request by which each member changes its service, another thing to each. */
  function strikeEach(chosen: (member: Member) => boolean = () => true): () => number {
    const members = all.filter(chosen);
    const left = new Map(members.map((member, index) => [member, strikes[index % strikes.length]]));
    const effects = new Map<number, Intervention>();
    proxy.before = (request) => {
      const member = [...left.keys()].find((each) => each.writes(request));
      const strike = member && left.get(member);
      if (member === undefined || strike === undefined) {
        return undefined;
      }
      left.delete(member);
      effects.set(request.number, strike.effect);
      return strike.applied === "at once" ? undefined : strike.effect;
    };
    proxy.after = ({ number }) => effects.get(number);
    return () => members.length - left.size;
  }

  /** The names of those that are in state. */
  async function kept(): Promise<ReadonlySet<string>> {
    const names = await Promise.all(all.map(({ type }) => stack.idsByName(type)));
    return new Set(names.flatMap((each) => [...each.keys()]));
  }

  /** Runs the program again without faults, as its errors say: what is not in state takes over what there is. */
  async function again({ changed = false } = {}): Promise<void> {
    emulator.faults.clear();
    proxy.clear();
    await proxy.processLate();
    const before = await kept();
    await stack.up(programOf({ changed, adopts: (name) => !before.has(name) }));
    assert.equal((await kept()).size, all.length);
    const requests = emulator.journal.count();
    await stack.previewWithoutChanges(programOf({ changed }));
    assert.equal(emulator.journal.count(), requests, "a preview has made requests");
    assert.deepEqual((await stack.refresh()).changes, {});
  }

  /** Nothing is left when everything is deleted and what ends by itself has ended. */
  async function assertNothingLeft(): Promise<void> {
    assert.equal((await kept()).size, 0);
    emulator.advance("60d");
    // The service has no request that would delete how it reaches the scheduler.
    assert.deepEqual(countsOf(emulator.inspect()), {
      ...counts,
      schedulerAccess: (counts.schedulerAccess ?? 0) + 1,
    });
  }

  it("is made, read and deleted in the end, each once", async () => {
    const struck = strikeEach();
    await failureOf(stack.up(programOf(), { continueOnError: true }));
    assert.equal(struck(), all.length);
    await again();
    for (const member of all) {
      member.meet((await stack.idsByName(member.type)).get(member.name));
    }

    const changed = strikeEach((member) => !deletedBeforeReplaced.has(member.resourceCase.type));
    await failureOf(stack.up(programOf({ changed: true }), { continueOnError: true }));
    assert.equal(changed(), all.length - deletedBeforeReplaced.size);
    await again({ changed: true });

    proxy.refuse();
    assert.match(await failureOf(stack.refresh()), /Nothing is listening there/);
    assert.equal((await kept()).size, all.length);
    await proxy.open();

    emulator.faults.add({ method: ["DELETE", "POST", "PATCH"], drop: "after", times: Infinity });
    await failureOf(stack.destroy({ continueOnError: true }));
    emulator.faults.clear();
    await stack.destroy();
    await assertNothingLeft();
  });

  it("is neither lost nor doubled when the provider process is killed, which the engine reports", async () => {
    const type = "pulumi-nodejs:dynamic/trivium/provisioning:Project";
    const project = all.find((member) => member.type === type);
    assert.ok(project);
    proxy.after = (exchange) => (project.writes(exchange) ? "hold" : undefined);
    // One at a time, so that nothing else is under way then.
    const interrupted = failureOf(stack.up(programOf(), { continueOnError: true, parallel: 1 }));
    await until(() => proxy.exchanges.some((exchange) => project.writes(exchange)));
    providerProcesses().forEach((id) => process.kill(id, "SIGKILL"));
    const text = await interrupted;
    assert.match(
      text,
      /error: (?:error reading from server|transport is closing|.*connection (?:error|refused|reset))/,
    );
    assert.equal((await kept()).has(project.name), false);

    proxy.clear();
    const refused = await failureOf(stack.up(programOf(), { continueOnError: true }));
    assert.match(
      refused,
      /provisioning:Project already exists \(id \S+\); nothing was changed\. To adopt it, set `adopt: true`/,
    );
    await again();
    await stack.destroy();
    await assertNothingLeft();
  });
});
