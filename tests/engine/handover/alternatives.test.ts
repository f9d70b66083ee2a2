import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { temporaryDirectory } from "../../support/packed-library";
import { useEmulator } from "../../support/use-emulator";
import type { Values } from "../../cases/support/case";
import { describeWithAdapters, typeWith } from "../support/adapter";
import { configurationFor, projectType } from "../support/projects";
import { connectionTo } from "../support/configuration";
import { type Outcome, type Program, useSharedStack } from "../support/shared-stack";
import { classOf } from "../support/tested-resource";
import { type Kind, kinds } from "./kinds";

/** What a program says of a resource besides its arguments. */
interface Saying {
  /** Default: that of the alternative. */
  readonly name?: string;
  readonly adopt?: boolean;
  readonly changed?: boolean;
  readonly options?: pulumi.CustomResourceOptions;
  /** It is in a component, where its URN is another one. */
  readonly inComponent?: boolean;
  /** It has an explicit provider, which leads to the same service. */
  readonly elsewhere?: boolean;
}

/** A way in which a resource gets another object, or an object another resource. */
interface Alternative {
  readonly former?: Saying;
  readonly present: Saying;
  /** It is named in `--replace`. */
  readonly replacedByHand?: boolean;
  /** What the engine calls, in this order, where the class deletes first. */
  readonly calls: readonly string[];
  /** The same where it creates first; default: no difference. */
  readonly callsInPlace?: readonly string[];
  /** The old entry's deletion leaves the object to its heir. */
  readonly kept?: boolean;
  /** The destruction of the stack leaves the object. */
  readonly outlives?: boolean;
}

const replaceOnChanges = ["name", "projectId", "workspaceLimit"];

/** The calls of a replacement: `order` is that of the deletion and the creation. */
function replacing(name: string, former: string, order: "delete first" | "create first", planned = true) {
  const plan = [`A: check ${name} with state`, `A: diff ${name} with state`];
  const halves = [`A: delete ${former}`, `A: create ${name}`];
  return [
    ...(planned ? plan : []),
    `A: check ${name}`,
    ...(order === "delete first" ? halves : halves.reverse()),
  ];
}

/** The calls of a rename that the engine does not see as one. */
const renaming = (name: string, former: string, deletingProcess = "A"): readonly string[] => [
  `A: check ${name}`,
  `A: create ${name}`,
  `${deletingProcess}: delete ${former}`,
];

/** The calls of an update that changes nothing. */
const unchanged = (name: string): readonly string[] => [
  `A: check ${name} with state`,
  `A: diff ${name} with state`,
];

const alternatives: Readonly<Record<string, Alternative>> = {
  rename: { present: { name: "renamed", adopt: true }, calls: renaming("renamed", "rename"), kept: true },
  aliases: {
    present: { name: "aliased", options: { aliases: [{ name: "aliases" }] } },
    calls: unchanged("aliased"),
  },
  "aliases-and-changes": {
    present: {
      name: "aliased-and-changed",
      changed: true,
      options: { aliases: [{ name: "aliases-and-changes" }], replaceOnChanges },
    },
    calls: replacing("aliased-and-changed", "aliases-and-changes", "delete first"),
    callsInPlace: replacing("aliased-and-changed", "aliases-and-changes", "create first"),
  },
  "replaced-by-hand": {
    present: {},
    replacedByHand: true,
    calls: replacing("replaced-by-hand", "replaced-by-hand", "delete first", false),
    callsInPlace: replacing("replaced-by-hand", "replaced-by-hand", "create first", false),
  },
  "replace-on-changes": {
    present: { changed: true, options: { replaceOnChanges } },
    calls: replacing("replace-on-changes", "replace-on-changes", "delete first"),
    callsInPlace: replacing("replace-on-changes", "replace-on-changes", "create first"),
  },
  "delete-before-replace": {
    present: { changed: true, options: { replaceOnChanges, deleteBeforeReplace: true } },
    calls: replacing("delete-before-replace", "delete-before-replace", "delete first"),
  },
  retained: {
    former: { options: { retainOnDelete: true } },
    present: { name: "retained-2", adopt: true, options: { retainOnDelete: true } },
    calls: renaming("retained-2", "").slice(0, 2),
    outlives: true,
  },
  "into-component": {
    present: { inComponent: true, adopt: true },
    calls: renaming("into-component in a component", "into-component"),
    kept: true,
  },
  "into-component-aliased": {
    present: { inComponent: true, options: { aliases: [{ parent: pulumi.rootStackResource }] } },
    calls: unchanged("into-component-aliased in a component"),
  },
  "other-provider": { present: { elsewhere: true }, calls: unchanged("other-provider") },
  "other-provider-and-name": {
    present: { elsewhere: true, name: "elsewhere", adopt: true },
    calls: renaming("elsewhere", "other-provider-and-name", "B"),
    kept: true,
  },
};

/** A call of a hook, as a provider process has recorded it. */
interface RecordedCall {
  readonly process: number;
  readonly hook: string;
  readonly id?: string;
  readonly olds?: Values;
  readonly values: Values;
}

/** Which hooks the engine calls, when, with what and in which process: the provider text of each resource tells. */
class RecordedCalls {
  private readonly directory = temporaryDirectory("recorded-calls");
  private readonly file = join(this.directory, "calls");

  /** Options that have a resource's hooks recorded. */
  readonly options: pulumi.CustomResourceOptions = {
    transformations: [
      ({ props, opts, type }) => ({ props: { ...(props as object), __provider: this.text(type) }, opts }),
    ],
  };

  /** Forgets what was recorded so far. */
  clear(): void {
    rmSync(this.file, { force: true });
  }

  /**
   * The calls since then that concern one object, a line each: the process by a letter, the hook, the entry of the
   * state by its resource's name.
   *
   * @param concerns whether inputs or outputs are of the object
   */
  about(concerns: (values: Values) => boolean): readonly string[] {
    const processes: number[] = [];
    return this.all()
      .filter(({ values }) => concerns(values))
      .map(({ process, hook, olds, values }) => {
        if (!processes.includes(process)) {
          processes.push(process);
        }
        const letter = String.fromCharCode("A".charCodeAt(0) + processes.indexOf(process));
        const former = olds === undefined || Object.keys(olds).length === 0 ? "" : " with state";
        return `${letter}: ${hook} ${entryOf(values)}${former}`;
      });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  private all(): readonly RecordedCall[] {
    return existsSync(this.file)
      ? readFileSync(this.file, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as RecordedCall)
      : [];
  }

  private text(type: string): string {
    const definition = type.slice(type.indexOf("trivium/") + "trivium/".length);
    return `${providerStub(definition)};
      const lifecycle = exports.handler();
      const { appendFileSync } = require("node:fs");
      const record = (hook, call) => appendFileSync(
        ${JSON.stringify(this.file)}, JSON.stringify({ process: process.pid, hook, ...call }) + "\\n");
      exports.handler = () => ({
        ...lifecycle,
        check(olds, news) { record("check", { olds, values: news }); return lifecycle.check(olds, news); },
        diff(id, olds, news) { record("diff", { id, olds, values: news }); return lifecycle.diff(id, olds, news); },
        create(inputs) { record("create", { values: inputs }); return lifecycle.create(inputs); },
        read(id, values) { record("read", { id, values }); return lifecycle.read(id, values); },
        update(id, olds, news) { record("update", { id, olds, values: news }); return lifecycle.update(id, olds, news); },
        delete(id, values) { record("delete", { id, values }); return lifecycle.delete(id, values); },
      });`;
  }
}

/** What the first call of a process is about, which has no URN if it is not a check. */
const unnamed = "unnamed";

/** The name of a resource, and the component that it is in, by the URN of the call. */
function entryOf({ __urn: urn }: Values): string {
  if (typeof urn !== "string") {
    return unnamed;
  }
  const [, , types = "", name = ""] = urn.split("::");
  return types.includes("$") ? `${name} in a component` : name;
}

/** The rows of the table in contributing/handovers.md, each for a class that deletes first and for others. */
describeWithAdapters("a resource that is handed over", function (adapter) {
  this.timeout(900_000);

  const calls = new RecordedCalls();
  const emulator = useEmulator({ resets: false });
  const stack = useSharedStack(
    "engine-handover",
    () => configurationFor(emulator, "provisioning", "secrets"),
    {
      adapter,
    },
  );
  let outcome: Outcome;
  /** The ids of projects in state before the alternatives. */
  let former: ReadonlyMap<string, string>;
  const args = new Map<string, Values>();
  const each = Object.entries(alternatives).flatMap(([title, alternative]) =>
    kinds.map((kind) => ({ title, alternative, kind, key: keyOf(title, kind) })),
  );

  before(async () => {
    each.forEach(({ kind, key }) => args.set(key, kind.prepare(emulator, key)));
    await stack.up(program("former"));
    former = await stack.idsByName(typeWith(adapter, projectType));
    const urns = (await stack.resources()).map(({ urn }) => urn);
    calls.clear();
    emulator.journal.clear();
    outcome = await stack.up(program("present"), {
      replace: urns.filter((urn) => urn.includes("::replaced-by-hand")),
    });
  });
  after(() => calls.remove());

  const program =
    (when: "former" | "present"): Program =>
    () => {
      const parent = new pulumi.ComponentResource("tests:Team", "team");
      const connection = { ...connectionTo(emulator, "provisioning"), ...connectionTo(emulator, "secrets") };
      const provider = new trivium.Provider("explicit", connection);
      for (const { title, alternative, kind, key } of each) {
        const { name = title, adopt, changed, options, inComponent, elsewhere } = alternative[when] ?? {};
        new (classOf(kind))(
          keyOf(name, kind),
          {
            ...args.get(key),
            ...(adopt === true && kind.adopts ? { adopt } : {}),
            ...(changed === true ? kind.changed(emulator, key) : {}),
          },
          pulumi.mergeOptions(adapter === "dynamic" ? calls.options : {}, {
            ...options,
            ...(options?.aliases === undefined || inComponent
              ? {}
              : { aliases: [{ name: keyOf(title, kind) }] }),
            ...(inComponent === true ? { parent } : {}),
            ...(elsewhere === true ? { provider } : {}),
          }),
        );
      }
    };

  for (const [title, alternative] of Object.entries(alternatives)) {
    // Only the text of a dynamic provider can be replaced by one that records what it is asked.
    if (adapter === "dynamic") {
      it(`the engine calls in the known order: ${title}`, () => {
        for (const kind of kinds) {
          const key = keyOf(title, kind);
          const { calls: usual, callsInPlace = usual } = alternative;
          const expected = kind.deletesFirst ? usual : callsInPlace;
          assert.deepEqual(
            calls
              .about((values) => kind.concerns(values, args.get(key) ?? {}))
              .map((call) => call.replace(unnamed, key)),
            expected.map((call) =>
              call.replace(
                /(check|diff|create|delete) ([\w-]+)/g,
                (_all, verb: string, name: string) => `${verb} ${keyOf(name, kind)}`,
              ),
            ),
            kind.type,
          );
        }
      });
    }

    it(`the service has what the program says after ${title}`, () => {
      for (const kind of kinds) {
        const key = keyOf(title, kind);
        const changed = alternative.present.changed === true;
        assert.deepEqual(kind.held(emulator, key), kind.expected(key, changed), kind.type);
      }
    });
  }

  it("a project is the same object unless it is replaced, and no other is deleted", async () => {
    const present = await stack.idsByName(typeWith(adapter, projectType));
    const replaced: string[] = [];
    for (const [
      title,
      {
        present: { name = title, changed },
        replacedByHand,
        kept,
      },
    ] of Object.entries(alternatives)) {
      const id = former.get(title) ?? "";
      if (changed === true || replacedByHand === true) {
        assert.notEqual(present.get(name), id, title);
        replaced.push(`/projects/${id}`);
      } else {
        assert.equal(present.get(name), id, title);
      }
      assert.equal(
        outcome.text.includes(`${id} was not deleted: the resource "${name}" manages it.`),
        kept === true,
        title,
      );
    }
    const deleted = emulator.journal
      .requests()
      .filter(({ method, path }) => method === "DELETE" && path.includes("/projects/"))
      .map(({ path }) => path.slice(path.indexOf("/projects/")));
    assert.deepEqual(deleted.sort(), replaced.sort());
  });

  it("a TOTP secret has in state the secret that the service has", async () => {
    const keys = emulator.inspect().secrets.totpSecrets.map(({ key }) => key);
    const state = JSON.stringify(
      await stack.resourcesInClear(typeWith(adapter, "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpSecret")),
    );
    assert.equal(keys.length, Object.keys(alternatives).length);
    keys.forEach((key) => assert.ok(state.includes(key)));
  });

  it("a resource that was handed over shows no change afterwards, nor after a refresh", async () => {
    emulator.journal.clear();
    await stack.previewWithoutChanges(program("present"));
    assert.equal(emulator.journal.count(), 0);
    assert.deepEqual((await stack.refresh()).changes, {});
    await stack.previewWithoutChanges(program("present"));
  });

  it("the destruction leaves everything as it was before when the stack is destroyed, but what is retained", async () => {
    await stack.destroy();
    for (const { title, alternative, kind, key } of each) {
      const expected = alternative.outlives === true ? kind.expected(key, false) : undefined;
      assert.deepEqual(kind.held(emulator, key), expected, `${title} ${kind.type}`);
    }
  });
});

/** The name of an object, and by default of its resource. */
function keyOf(title: string, kind: Kind): string {
  return kind === kinds[0] ? title : `${title}-${kinds.indexOf(kind)}`;
}
