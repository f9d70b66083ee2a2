import assert from "node:assert/strict";
import { z } from "zod";
import * as library from "../sdk/index";
import {
  type AnyResourceDefinition,
  className,
  collectClasses,
  definitionIn,
} from "../sdk/resource/definition";
import { equivalent } from "../sdk/resource/fields/field";
import type { Found } from "../sdk/resource/lifecycle/object";
import { decodeEntry, decodeProgram } from "../sdk/resource/state/encoding";
import { containsUnknown } from "../sdk/resource/state/entry";
import { resourceCases } from "./cases";
import {
  allDialects,
  caseIn,
  batchesOf,
  given,
  together,
  updateOf,
  isOnWire,
  isReadable,
  keepsId,
  type Dialect,
  type ResourceCase,
  type Values,
} from "./cases/support/case";
import { emulatedServices } from "./cases/support/emulated-services";
import { inClear, unknownValues } from "./support/values";
import { useReceiver } from "./engine/support/receiver";
import { lifecycleOn, FakeEngine } from "./support/fake-engine";
import { assertIssued, issuedIn } from "./support/issued";
import type { Properties } from "./support/provider-process";
import { configurationWith } from "./support/proxy";
import { useEmulator } from "./support/use-emulator";

const classes = collectClasses(library);

/** The outputs that some plans leave unknown: the service might change them by itself, or return them in two forms. */
const open: Readonly<Record<string, readonly string[]>> = {
  "provisioning:ProjectWorkspaces": ["organization"],
  "secrets/directory:Config": ["passwordPolicy"],
  "provisioning:NotificationConfiguration": ["deliveryResponses", "updatedAt"],
  "secrets/directory:RootRotation": ["rotatedAt"],
  "secrets/directory:StaticRole": ["lastRotation"],
  "secrets/directory:StaticRoleRotation": ["rotatedAt"],
  "secrets/identity:EntityAlias": ["lastUpdateTime", "local", "mountPath", "mountType"],
};

/** The same, where only the hashicorp dialect has it. */
const openInProducts: typeof open = {
  "secrets/directory:Config": ["lastBindPasswordRotation", "rotationPeriod", "selfManaged"],
  "secrets/directory:StaticRole": ["nextRotation", "rotationPeriod"],
};

// What every class promises, in this process, in both dialects. `tests/engine/lifecycles.test.ts` shows it with the real CLI.
for (const resourceCase of resourceCases.values()) {
  const { definition } = classes.get(resourceCase.type) ?? assert.fail(resourceCase.type);
  for (const dialect of allDialects) {
    describe(`${className(definition)} in the ${dialect} dialect`, () =>
      resourceCase.dialects.includes(dialect)
        ? describeLifecycle(definition, caseIn(dialect, resourceCase), dialect)
        : describeRefusal(definition, resourceCase, dialect));
  }
}

function describeRefusal(
  definition: AnyResourceDefinition,
  resourceCase: ResourceCase,
  dialect: Dialect,
): void {
  const emulator = useEmulator({ dialect, provisioning: { uniqueProjectNames: true } });

  it(`${className(definition)} is rejected as a whole, without a request, with an error that names both dialects`, async () => {
    const context = await resourceCase.prepare(emulatedServices(emulator, { dialect }));
    emulator.journal.clear();
    const settings = configurationWith(() => ({ Dialect: dialect }));
    const valid = resourceCase.valid(context) as Properties;
    const [problem = "", ...more] = await new FakeEngine(definition, emulator, settings).problems(valid);
    const [only = ""] = resourceCase.dialects;
    const expected = `is only available in the ${only} dialect, but this service uses the ${dialect} dialect`;
    assert.ok(problem.includes(expected), problem);
    assert.deepEqual([more, emulator.journal.count()], [[], 0]);
  });
}

function describeLifecycle(
  definition: AnyResourceDefinition,
  resourceCase: ResourceCase,
  dialect: Dialect,
): void {
  const name = className(definition);
  const { arguments: known, outputs } = definitionIn(definition, dialect);
  const { changes, cleared, managesExisting, namesRepeat } = resourceCase;
  const drifts = [resourceCase.drift ?? [], resourceCase.drifts].flat();
  const issued = issuedIn(outputs);
  const adopts = "adopt" in known;
  const isUnique = adopts && !namesRepeat && !managesExisting;
  const remains = resourceCase.leftByDeletion?.[dialect] !== undefined;
  const updated = updateOf(resourceCase);
  const settings = configurationWith(() => ({ Dialect: dialect }));
  const emulator = useEmulator({ dialect, provisioning: { uniqueProjectNames: true } });
  const receiver = useReceiver();

  const another = (): FakeEngine => new FakeEngine(definition, emulator, settings);
  const prepared = async () => {
    const context = await resourceCase.prepare(emulatedServices(emulator, { dialect, receiver }));
    emulator.journal.clear();
    const valid = given(resourceCase.valid(context)) as Properties;
    return { context, valid, managed: another() };
  };
  type TestedResource = Awaited<ReturnType<typeof prepared>>;
  const created = async (): Promise<TestedResource> => {
    const tested = await prepared();
    assert.equal(await tested.managed.up(tested.valid), "created");
    return tested;
  };
  const objectsOf = ({ context }: TestedResource): readonly Values[] => context.objects?.() ?? [];
  /** The service has what the program says, as state has it. */
  const assertApplied = (tested: TestedResource, args: Properties): void => {
    const object = objectsOf(tested).at(-1) ?? {};
    Object.keys(args)
      .filter((name) => name in object && args[name] !== null)
      .forEach((name) => assert.deepEqual(tested.managed.outputs[name], object[name], name));
  };
  const withoutRequest = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const before = emulator.journal.count();
    const result = await work();
    assert.equal(emulator.journal.count(), before, "a plan makes no request");
    return result;
  };
  const assertSettled = async ({ managed }: TestedResource, args: Properties): Promise<void> => {
    assert.equal(await withoutRequest(() => managed.up(args)), "same");
    assert.equal(await managed.refresh(), true);
    assert.equal(await withoutRequest(() => managed.up(args)), "same");
  };
  it(`${name} is created, and shows no change afterwards, even with equivalent values`, async () => {
    const tested = await created();
    const { context, valid } = tested;
    assert.equal(objectsOf(tested).length, 1);
    assertApplied(tested, valid);
    assertIssued(emulator, issued, tested.managed.id, tested.managed.outputs);
    await assertSettled(tested, valid);
    await assertSettled(tested, { ...valid, ...(resourceCase.spellings?.(context) as Properties) });
  });

  it(`${name} applies each change in place or by replacement, and a change that only concerns the library sends no request`, async () => {
    const tested = await created();
    const { managed, context } = tested;
    let args = tested.valid;
    let abandoned = 0;
    for (const batch of batchesOf(resourceCase, () => true)) {
      const [{ argument, replaces } = assert.fail()] = batch;
      const { id = "", outputs } = managed;
      const before = { objects: objectsOf(tested), requests: emulator.journal.count() };
      args = given({ ...args, ...together(batch, context) }) as Properties;
      assert.equal(await managed.up(args), replaces ? "replaced" : "updated", argument);
      assert.equal(managed.id === id, !replaces || keepsId(resourceCase, argument, id, outputs), argument);
      abandoned += replaces && remains ? 1 : 0;
      assert.equal(objectsOf(tested).length, 1 + abandoned, argument);
      if (replaces || isOnWire(known[argument])) {
        assert.notDeepEqual(objectsOf(tested), before.objects, argument);
      } else if (known[argument]?.local === "state") {
        assert.equal(emulator.journal.count(), before.requests, argument);
      }
      await assertSettled(tested, args);
      assertApplied(tested, args);
    }
  });

  it(`${name} has plans with the values that the service then returns, except those that the service can change by itself`, async () => {
    const { managed, context, valid } = await prepared();
    const lifecycle = lifecycleOn(emulator, definition, settings);
    /** @returns the outputs that the plan did not know */
    const upAsPlanned = async (args: Properties): Promise<readonly string[]> => {
      const { inputs: former = {}, outputs } = managed.resource ?? {};
      const { inputs } = await lifecycle.check(former, args);
      const entry = outputs && decodeEntry(outputs);
      const [program, formerly] = [decodeProgram(inClear(inputs)), decodeProgram(former).args];
      const calls = lifecycle.lifecycle;
      const diff = entry && (await calls.diff(managed.id ?? "", entry, program, formerly));
      const isReplaced = (diff?.replaces ?? []).length > 0;
      const plan = await calls.preview(program, isReplaced ? undefined : entry, formerly);
      await managed.up(args);
      const unknown: string[] = [];
      for (const [name, planned = null] of Object.entries(plan)) {
        const response = managed.outputs[name] ?? null;
        if (containsUnknown(planned)) {
          unknown.push(name);
        } else if (!equivalent(known[name] ?? {}, response, planned)) {
          assert.deepEqual(response, planned, name);
        }
      }
      return isReplaced ? [] : unknown;
    };
    await upAsPlanned(valid);
    const steps: readonly Values[] = [
      ...changes.filter(({ replaces }) => !replaces).map((change) => change.to(context)),
      ...cleared.map((name) => {
        const { names = [name] } = changes.find(({ argument }) => argument === name) ?? {};
        const isCleared = (each: string): boolean => each === name || cleared.includes(each);
        return Object.fromEntries(names.map((each) => [each, isCleared(each) ? undefined : valid[each]]));
      }),
    ];
    let args = valid;
    const unknown = new Set<string>();
    for (const step of steps) {
      args = given({ ...args, ...step }) as Properties;
      (await upAsPlanned(args)).forEach((name) => unknown.add(name));
    }
    const left = [...unknown].filter((name) => !cleared.includes(name));
    const { type } = resourceCase;
    const more = dialect === "hashicorp" ? openInProducts[type] : undefined;
    assert.deepEqual(left.sort(), [...(open[type] ?? []), ...(more ?? [])].sort());
  });

  const durations = Object.keys(known).filter((name) => known[name]?.canonical?.("1h") === 3_600);
  if (durations.length > 0) {
    it(`${name} accepts durations with fractions of seconds, which the products truncate: ${durations.join(", ")}`, async () => {
      const tested = await created();
      for (const name of durations) {
        const { local, cleared: none } = known[name] ?? {};
        const isCut = dialect === "hashicorp" && local !== "state" && definition.service.name === "secrets";
        for (const value of none === "" ? ["5500ms", ""] : ["5500ms"]) {
          const args = { ...tested.valid, [name]: value };
          if (isCut && value !== "") {
            const [problem = ""] = await tested.managed.problems(args);
            assert.match(problem, /^\w+ must be a whole number of seconds$/);
          } else {
            await tested.managed.up(args);
            await assertSettled(tested, args);
          }
        }
      }
    });
  }

  if (cleared.length > 0) {
    it(`${name} clears arguments that are removed from the program: ${cleared.join(", ")}`, async () => {
      const tested = await prepared();
      const { managed, context, valid } = tested;
      const others = changes.filter(({ argument }) => cleared.includes(argument) && !(argument in valid));
      const full = given({ ...valid, ...together(others, context) }) as Properties;
      const rest = Object.fromEntries(Object.entries(full).filter(([name]) => !cleared.includes(name)));
      await managed.up(rest);
      const original = objectsOf(tested).map(lasting);
      await managed.up(full);
      assert.equal(await managed.up(rest), "updated");
      await assertSettled(tested, rest);
      assertApplied(tested, rest);
      if (!managesExisting) {
        assert.deepEqual(objectsOf(tested).map(lasting), original, "as if they had never been given");
      }
    });
  }

  for (const drift of drifts) {
    const { argument } = drift;
    /** A resource whose object drifts away from the last value that the case has for the argument. */
    const drifted = async () => {
      const tested = await created();
      const { managed, context, valid } = tested;
      const change = changes.findLast((each) => each.argument === argument && !each.replaces);
      const args = { ...valid, ...(change?.to(context) as Properties | undefined) };
      await managed.up(args);
      await drift.cause(context, managed.id ?? "");
      return { ...tested, args, former: managed.inputs[argument] };
    };

    it(`${name} detects in a refresh that ${argument} was changed in the service, and reverts it`, async () => {
      const { args, former, ...tested } = await drifted();
      const { managed } = tested;
      assert.equal(await managed.refresh(), true);
      assert.notDeepEqual(managed.inputs[argument], former);
      assert.equal(await managed.up(args), "updated");
      await assertSettled(tested, args);
      assert.deepEqual(managed.inputs[argument], former);
    });

    it(`${name} reverts drift of ${argument} with another change, without a refresh`, async () => {
      const { args, ...tested } = await drifted();
      const { names = [argument] } = changes.findLast((each) => each.argument === argument) ?? {};
      const other = changes.find(
        (each) => !each.replaces && !names.includes(each.argument) && isOnWire(known[each.argument]),
      );
      const change = other?.to(tested.context);
      const changed = { ...args, ...(change as Properties | undefined) };
      await tested.managed.up(changed);
      if (change !== undefined) {
        await assertSettled(tested, given(changed) as Properties);
      }
    });
  }

  if (resourceCase.deleteByHand !== undefined) {
    it(`${name} that was deleted in the service is not updated, is created again after a refresh, and is deleted without an error`, async () => {
      const tested = await created();
      const { managed, context, valid } = tested;
      await resourceCase.deleteByHand?.(context, managed.id ?? "");
      if (updated !== undefined) {
        await assert.rejects(managed.up({ ...valid, ...(updated(context) as Properties) }), {
          message: /no longer exists.*Run `pulumi refresh`, then `pulumi up`/,
        });
        assert.equal(objectsOf(tested).length, 0);
      }
      assert.equal(await managed.refresh(), false);
      assert.equal(await managed.up(valid), "created");
      assert.equal(objectsOf(tested).length, 1);
      await resourceCase.deleteByHand?.(context, managed.id ?? "");
      await managed.destroy();
    });
  }

  it(`${name} leaves nothing behind when it is deleted, except what the service cannot delete`, async () => {
    const tested = await created();
    await tested.managed.destroy();
    assert.equal(objectsOf(tested).length, remains ? 1 : 0);
  });

  if (isUnique) {
    it(`${name} refuses to duplicate an existing object, changes nothing, and adopts it with adopt`, async () => {
      const tested = await created();
      const { managed, valid } = tested;
      const existing = objectsOf(tested);
      const adopting = another();
      await assert.rejects(adopting.up(valid), ({ message }: Error) => {
        assert.ok(message.includes(`already exists (id ${managed.id})`), message);
        assert.match(message, /nothing was changed\..* set `adopt: true`/i);
        return true;
      });
      assert.deepEqual(objectsOf(tested), existing);
      await adopting.up({ ...valid, adopt: true });
      assert.equal(adopting.id, managed.id);
      assert.equal(objectsOf(tested).length, 1);
      await assertSettled({ ...tested, managed: adopting }, valid);
    });

    if (definition.turn !== undefined || resourceCase.type === "provisioning:Project") {
      it(`${name} is created once if two resources request the same object at the same time, even with equivalent values`, async () => {
        const tested = await prepared();
        const { context, valid } = tested;
        const respelt = { ...valid, ...(resourceCase.spellings?.(context) as Properties) };
        const outcomes = await Promise.allSettled([tested.managed.up(valid), another().up(respelt)]);
        assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
        assert.equal(objectsOf(tested).length, 1);
      });
    }
  }

  if (isUnique && definition.recover !== undefined) {
    it(`${name} is found, and created once, when the response to its creation is lost`, async () => {
      const tested = await prepared();
      const fault = emulator.faults.add({ where: ({ method }) => method !== "GET", drop: "after" });
      await tested.managed.up(tested.valid);
      const writes = emulator.journal.requests().filter(({ method }) => method !== "GET");
      assert.deepEqual([fault.hits, writes.length, objectsOf(tested).length], [1, 1, 1]);
      await assertSettled(tested, tested.valid);
    });
  }

  it(`${name} rejects missing, unknown or wrongly typed arguments by name, and accepts unknown values, without a request`, async () => {
    const { managed, valid } = await prepared();
    const schema = definitionIn(definition, dialect).schema(z);
    const names = Object.keys(definition.arguments);
    await withoutRequest(async () => {
      assert.deepEqual(await managed.problems(valid), []);
      const missing = names.filter((name) => !z.safeParse(schema[name] ?? z.any(), undefined).success);
      const problems = await managed.problems({});
      missing.forEach((name) => assert.ok(problems.includes(`${name} is required`), problems.join()));
      assert.deepEqual(await managed.problems({ ...valid, unheard: 1 }), [
        `unheard is not a valid argument; expected one of ${names.join(", ")}`,
      ]);
      for (const name of names) {
        const [problem = "", ...more] = await managed.problems({ ...valid, [name]: [{}] });
        assert.ok(problem.startsWith(name), `${name}: ${problem}`);
        // It can have a partner that excludes or requires it.
        assert.deepEqual(
          more.filter((each) => !each.includes(name)),
          [],
        );
      }
      for (const name of Object.keys(known)) {
        assert.deepEqual(await managed.problems({ ...valid, [name]: unknownValues.string }), [], name);
      }
    });
  });

  const foreign = Object.keys(definition.arguments).filter((name) => !(name in known));
  if (foreign.length > 0) {
    it(`${name} rejects by name, without a request, arguments that only exist in another dialect`, async () => {
      const { managed, context, valid } = await prepared();
      const full = caseIn("hashicorp", resourceCase);
      await withoutRequest(async () => {
        for (const name of foreign) {
          const change = full.changes.find(({ argument }) => argument === name);
          const value = { adopt: true, ...full.valid(context), ...(change && change.to(context)) }[name];
          assert.deepEqual(await managed.problems(given({ ...valid, [name]: value }) as Properties), [
            `${name} is only available in the hashicorp dialect, but this service uses the documented dialect`,
          ]);
        }
      });
      await managed.up(valid);
      foreign.forEach((name) =>
        assert.equal(name in managed.outputs, name in definitionIn(definition, dialect).outputs),
      );
    });
  }

  if ("get" in (classes.get(resourceCase.type) ?? {})) {
    it(`${name} can be read by its ID alone, and an imported one matches its program, even after a refresh`, async () => {
      const { managed, valid } = await created();
      const { id = "", outputs } = managed;
      const provider = lifecycleOn(emulator, definition, settings);
      const { lifecycle: calls, encoded } = provider;
      const properties = inClear((await provider.read(id)).props ?? {});
      Object.keys(known)
        .filter((each) => isReadable(known[each] ?? {}, properties[each]))
        .forEach((each) => assert.deepEqual(properties[each], outputs[each], each));

      /** Asserts that the program changes nothing. @returns what was found, as the next call gets it from state */
      const unchanged = async (found: Found | undefined) => {
        const { props, inputs } = encoded(found) ?? assert.fail(`there is no ${id}`);
        const [entry, { args: former }] = [decodeEntry(inClear(props)), decodeProgram(inClear(inputs))];
        for (const args of [former, decodeProgram(valid).args]) {
          const checked = await calls.check({ ...decodeProgram({}), args }, former, args === former);
          assert.deepEqual(checked.failures, []);
          const diff = await calls.diff(id, entry, { ...decodeProgram({}), args: checked.args }, former);
          assert.deepEqual([diff.changes, [...diff.changed]], [false, []]);
        }
        return { entry, former };
      };
      const { entry, former } = await unchanged(await calls.import(id));
      assert.deepEqual((await unchanged(await calls.read(id, entry, {}, former))).former, former);
    });
  }
}

/** An object without what each update changes. A password's length of 0 is the default, which is sent where it is reset. */
function lasting({ lastUpdateTime, updatedAt, deliveryResponses, length, ...object }: Values): Values {
  return object;
}
