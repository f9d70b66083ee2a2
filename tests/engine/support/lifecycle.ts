import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { type Outcome, OperationFailed, TestStack } from "./stack";

type Values = Readonly<Record<string, unknown>>;

/** What the generic suite has to know of a resource beyond its definition. */
export interface LifecycleCase {
  /** As a program writes it: `provisioning.Project`. */
  readonly className: string;
  /** The type token in state. */
  readonly type: string;
  /** Called once before the first step. */
  prepare(): Promise<Surroundings>;
  /** Declares the resource in a program. */
  declare(name: string, args: Values, options?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  /** Arguments to create it with: all that the other members speak of. Called after `prepare`. */
  valid(): Values;
  /** One change for each argument. */
  readonly changes: readonly {
    readonly argument: string;
    /** The new value, or a function that knows it once everything is prepared. */
    readonly to: unknown;
    readonly replaces?: boolean;
    /** What has to change together with it. */
    readonly also?: Values;
  }[];
  /** Other spellings of values in `valid`, which show no change. */
  readonly spellings: Values;
  /** Optional arguments whose removal clears them. */
  readonly cleared: readonly string[];
  /** A change behind the program's back, and the argument that shows it; none where drift cannot be seen. */
  readonly drift?: { readonly argument: string; cause(surroundings: Surroundings, id: string): unknown };
  /** Reads an object without managing it; none where the class has no `get`. */
  readonly get?: (name: string, id: pulumi.Input<string>) => pulumi.CustomResource;
  /** Arguments that no answer holds, so that `get` cannot know them. */
  readonly writeOnly?: readonly string[];
  /** Whether `adopt` takes over an existing object. */
  readonly adopt: boolean;
  /** Deletes the object behind the program's back; none where that would take its surroundings with it. */
  readonly vanish?: (surroundings: Surroundings, id: string) => unknown;
  /** Destruction and replacement leave the object in the service, which cannot delete it; what the user is told then. */
  readonly remains?: { readonly announced?: RegExp };
  /** Texts that may appear nowhere in clear. */
  readonly canaries: readonly string[];
}

/** The service that a case runs against. */
export interface Surroundings {
  /** Stack configuration by full key. */
  readonly configuration: Readonly<Record<string, string | { readonly secret: string }>>;
  /** The objects of this kind that exist, as the service holds them. */
  objects(): readonly Values[];
  /** How many requests the service has had. */
  requests(): number;
  readonly close: () => Promise<void>;
}

/** Runs a resource through everything that can happen to it, with the real CLI. */
export function describeLifecycle(lifecycle: LifecycleCase): void {
  describe(`${lifecycle.className} over its life`, function () {
    this.timeout(120_000);

    let surroundings: Surroundings;
    let stack: TestStack;
    let current: Values = {};
    const objectId = async (): Promise<string> => {
      const [id] = await stack.ids(lifecycle.type);
      return id ?? assert.fail("there is no such resource in state");
    };
    const declare = (args: Values) => () => {
      lifecycle.declare("subject", args);
      return Promise.resolve(undefined);
    };
    const up = async (args: Values = current): Promise<Outcome> => {
      current = args;
      return stack.up(declare(args));
    };
    const unchanged = async (args: Values = current): Promise<void> => {
      const before = surroundings.requests();
      await stack.previewWithoutChanges(declare(args));
      assert.equal(surroundings.requests(), before, "a preview makes no request");
    };

    const { remains } = lifecycle;
    let abandoned = 0;
    /** How many objects there are beside those that the stack has left behind because it cannot delete them. */
    const present = (): number => surroundings.objects().length - abandoned;
    const left = ({ text }: Outcome): void => {
      if (remains !== undefined) {
        abandoned += 1;
        assert.match(text.replace(/\s+/g, " "), remains.announced ?? /(?:)/);
      }
    };

    before(async function () {
      this.timeout(900_000);
      surroundings = await lifecycle.prepare();
      current = lifecycle.valid();
      stack = await TestStack.create(
        `engine-${lifecycle.className.toLowerCase().replaceAll(".", "-")}`,
        surroundings.configuration,
      );
    });

    after(async () => {
      stack.remove();
      await surroundings.close();
    });

    let failed: string | undefined;
    /** One step of the life: each needs what the ones before have left. */
    const step = (title: string, take: () => Promise<unknown>): void => {
      it(title, async () => {
        assert.equal(failed, undefined, "not tried, because an earlier step failed");
        failed = title;
        await take();
        failed = undefined;
      });
    };

    step("shows in the first plan what it will make, and makes no request", async () => {
      const { changes } = await stack.preview(declare(current));
      assert.deepEqual(changes, { create: 2 });
      assert.equal(surroundings.requests(), 0);
    });

    step("is created", async () => {
      const { changes } = await up();
      assert.deepEqual(changes, { create: 2 });
      assert.equal(present(), 1);
    });

    step("then shows no change, and a plan makes no request", () => unchanged());

    step("shows no change in other spellings of the same values", () =>
      unchanged({ ...current, ...lifecycle.spellings }),
    );

    /** Said once after many steps: a change that never ends would still be seen. */
    const settled = async (): Promise<void> => {
      await unchanged();
      const { changes } = await stack.refresh();
      assert.deepEqual(changes, {});
      await unchanged();
    };

    step("shows no change after a refresh without drift", async () => {
      const { changes } = await stack.refresh();
      assert.deepEqual(changes, {});
      await unchanged();
    });

    for (const { argument, to, replaces = false, also = {} } of lifecycle.changes) {
      step(`${replaces ? "is replaced" : "is updated in place"} when ${argument} changes`, async () => {
        const before = await objectId();
        const outcome = await up({ ...current, ...also, [argument]: valueOf(to) });
        const { changes, text } = outcome;
        assert.deepEqual(changes, replaces ? { replace: 1 } : { update: 1 });
        assert.match(text, new RegExp(`[~+-] ${argument}\\b`));
        if (replaces) {
          left(outcome);
        }
        assert.equal(present(), 1);
        assert.equal((await objectId()) === before, !replaces);
      });
    }
    if (lifecycle.changes.length > 0) {
      step("shows no change after all these, nor after a refresh", settled);
    }

    const { drift } = lifecycle;
    if (drift !== undefined) {
      step(
        `shows in a refresh that ${drift.argument} was changed in the service, and repairs it`,
        async () => {
          await drift.cause(surroundings, await objectId());
          const refreshed = await stack.refresh();
          assert.deepEqual(refreshed.changes, { update: 1 });
          assert.match(refreshed.text, new RegExp(`~${drift.argument}\\b`));
          const repaired = await up();
          assert.deepEqual(repaired.changes, { update: 1 });
          await unchanged();
        },
      );
    }

    for (const argument of lifecycle.cleared) {
      step(`clears ${argument}, visibly, when it is removed from the program`, async () => {
        const without = Object.fromEntries(Object.entries(current).filter(([name]) => name !== argument));
        const { changes, text } = await up(without);
        assert.deepEqual(changes, { update: 1 });
        assert.match(text, new RegExp(`- ${argument}\\b`));
      });
    }
    if (lifecycle.cleared.length > 0) {
      step("shows no change after it was cleared, nor after a refresh", settled);
    }

    const { get } = lifecycle;
    if (get !== undefined) {
      step("can be read without being managed", async () => {
        const id = await objectId();
        await stack.up(async () => {
          const managed = lifecycle.declare("subject", current);
          const read = get("read", id);
          return Promise.resolve({ managed: withoutMethods(managed), read: withoutMethods(read) });
        });
        const { managed, read } = await stack.outputs();
        const readable = Object.keys(current).filter((name) => !lifecycle.writeOnly?.includes(name));
        assert.deepEqual(pick(read?.value, readable), pick(managed?.value, readable));
      });
    }

    const { vanish } = lifecycle;
    if (vanish !== undefined) {
      step("is made again after it was deleted in the service", async () => {
        await up();
        await vanish(surroundings, await objectId());
        const refreshed = await stack.refresh();
        assert.deepEqual(refreshed.changes, { delete: 1 });
        const { changes } = await up();
        assert.deepEqual(changes, { create: 1 });
        assert.equal(present(), 1);
      });
    }

    if (lifecycle.adopt) {
      step("refuses to double an existing object, names it, and takes it over when asked to", async () => {
        const id = await objectId();
        await stack.forgetResources();
        await assert.rejects(up(), (error) => {
          assert.ok(error instanceof OperationFailed);
          assert.match(error.text, new RegExp(`already exists \\(id ${id}\\)`));
          assert.match(error.text, /set adopt to take it over/);
          return true;
        });
        await up({ ...current, adopt: true });
        assert.equal(await objectId(), id);
        await unchanged();
        const { adopt, ...withoutAdopt } = current;
        await unchanged(withoutAdopt);
        assert.equal(surroundings.objects().length, 1);
      });
    }

    step("leaves nothing behind when the stack is destroyed", async () => {
      left(await stack.destroy());
      assert.equal(present(), 0, JSON.stringify(surroundings.objects()));
      assert.deepEqual(await stack.resources(lifecycle.type), []);
    });

    step("has never shown a secret in clear", async () => {
      const shown = stack.output + (await stack.state());
      for (const canary of lifecycle.canaries) {
        assert.ok(!shown.includes(canary), `${canary} was shown`);
      }
    });
  });
}

/** The outputs of a resource. */
function withoutMethods(resource: pulumi.CustomResource): Values {
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => !name.startsWith("__") && name !== "urn"),
  );
}

function valueOf(value: unknown): unknown {
  return typeof value === "function" ? (value as () => unknown)() : value;
}

function pick(value: unknown, names: readonly string[]): Values {
  const record = value as Values;
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}
