import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { canAdopt, replacementOf, updateOf, type Values } from "../../cases/support/case";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters, typeWith } from "../support/adapter";
import { connectionTo } from "../support/configuration";
import { configurationFor, projectsIn } from "../support/projects";
import { type Outcome, type Program, useSharedStack } from "../support/shared-stack";
import { TestedResource } from "../support/tested-resource";
import { kinds } from "./kinds";

/** What a program says of a resource besides its arguments. */
interface Saying {
  /** Default: that of the alternative. */
  readonly name?: string;
  readonly adopt?: true;
  /** An argument, and every change is to replace. */
  readonly changed?: true;
  readonly aliased?: true;
  readonly options?: pulumi.CustomResourceOptions;
  /** It is in a component, where its URN is another one. */
  readonly inComponent?: true;
  /** It has an explicit provider, which leads to the same service. */
  readonly elsewhere?: true;
}

/** A way in which a resource gets another object, or an object another resource. */
interface Alternative {
  readonly former?: Saying;
  readonly present: Saying;
  /** It is named in `--replace`. */
  readonly replacedByHand?: true;
  /** What the engine calls, in this order. */
  readonly calls: (deletesFirst: boolean) => readonly string[];
  /** The old entry's deletion leaves the object to its successor. */
  readonly kept?: true;
  /** The destruction of the stack leaves the object. */
  readonly outlives?: true;
}

/** The calls of an update that changes nothing. */
const unchanged = (name: string) => () => [`A: check ${name} with state`, `A: diff ${name} with state`];

const replacing = (name: string, former: string, planned?: false) => (deletesFirst: boolean) => [
  ...(planned === undefined ? unchanged(name)() : []),
  `A: check ${name}`,
  ...(deletesFirst ? [`A: delete ${former}`] : []),
  `A: create ${name}`,
  ...(deletesFirst ? [] : [`A: delete ${former}`]),
];

/** The calls of a rename that the engine does not see as one. */
const renaming =
  (name: string, ...deletions: readonly string[]) =>
  () => [`A: check ${name}`, `A: create ${name}`, ...deletions];

const alternatives: Readonly<Record<string, Alternative>> = {
  rename: {
    present: { name: "renamed", adopt: true },
    calls: renaming("renamed", "A: delete rename"),
    kept: true,
  },
  aliases: { present: { name: "aliased", aliased: true }, calls: unchanged("aliased") },
  "aliases-and-changes": {
    present: { name: "aliased-and-changed", changed: true, aliased: true },
    calls: replacing("aliased-and-changed", "aliases-and-changes"),
  },
  "replaced-by-hand": {
    present: {},
    replacedByHand: true,
    calls: replacing("replaced-by-hand", "replaced-by-hand", false),
  },
  "replace-on-changes": {
    present: { changed: true },
    calls: replacing("replace-on-changes", "replace-on-changes"),
  },
  "delete-before-replace": {
    present: { changed: true, options: { deleteBeforeReplace: true } },
    calls: () => replacing("delete-before-replace", "delete-before-replace")(true),
  },
  retained: {
    former: { options: { retainOnDelete: true } },
    present: { name: "retained-2", adopt: true, options: { retainOnDelete: true } },
    calls: renaming("retained-2"),
    outlives: true,
  },
  "into-component": {
    present: { inComponent: true, adopt: true },
    calls: renaming("into-component in a component", "A: delete into-component"),
    kept: true,
  },
  "into-component-aliased": {
    present: { inComponent: true, aliased: true },
    calls: unchanged("into-component-aliased in a component"),
  },
  "other-provider": { present: { elsewhere: true }, calls: unchanged("other-provider") },
  "other-provider-and-name": {
    present: { elsewhere: true, name: "elsewhere", adopt: true },
    calls: renaming("elsewhere", "B: delete other-provider-and-name"),
    kept: true,
  },
};

/** Has a resource's hooks recorded in a file, a line each: the text of its provider does. */
function recordedIn(file: string): pulumi.CustomResourceOptions {
  const text = (type: string): string => `${providerStub(type.replace("pulumi-nodejs:dynamic/trivium/", ""))};
    const lifecycle = exports.handler();
    const recorded = (hook) => (...args) => {
      const line = JSON.stringify({ process: process.pid, hook, args });
      require("node:fs").appendFileSync(${JSON.stringify(file)}, line + "\\n");
      return lifecycle[hook](...args);
    };
    const hooks = ["check", "diff", "create", "read", "update", "delete"];
    exports.handler = () => ({ ...lifecycle, ...Object.fromEntries(hooks.map((hook) => [hook, recorded(hook)])) });`;
  return {
    transformations: [
      ({ props, opts, type }) => ({ props: { ...(props as object), __provider: text(type) }, opts }),
    ],
  };
}

/**
 * The recorded calls that concern one object, a line each: the process by a letter, the hook, the entry of the state by
 * its resource's name.
 *
 * @param unnamed the name for the first call of a process, which has no URN if it is not a check
 * @param concerns whether inputs or outputs are of the object
 */
function callsIn(file: string, unnamed: string, concerns: (values: Values) => boolean): readonly string[] {
  const processes: number[] = [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const { process, hook, args } = JSON.parse(line) as { process: number; hook: string; args: Values[] };
    const [olds = {}, values = {}] = [args.at(-2), args.at(-1)];
    if (!concerns(values)) {
      return [];
    }
    if (!processes.includes(process)) {
      processes.push(process);
    }
    const [, , types = "", name = unnamed] = typeof values.__urn === "string" ? values.__urn.split("::") : [];
    const entry = types.includes("$") ? `${name} in a component` : name;
    const state = typeof olds === "object" && Object.keys(olds).length > 0 ? " with state" : "";
    return `${"AB"[processes.indexOf(process)]}: ${hook} ${entry}${state}`;
  });
}

/** The rows of the table in contributing/handovers.md, each for a class that deletes first and for others. */
describeWithAdapters("a resource that is handed over", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  const configuration = () => configurationFor(emulator, "provisioning", "secrets");
  const stack = useSharedStack("engine-handover", configuration, { adapter });
  let calls: string;
  let outcome: Outcome;
  /** The ids of projects in state before the alternatives. */
  let former: ReadonlyMap<string, string>;
  /** The resources of each alternative, one of each kind. */
  const members = new Map<string, readonly TestedResource[]>();
  const projectType = typeWith(adapter, "provisioning:Project");

  /** The name of a resource. */
  const keyOf = (title: string, { resourceCase: { type } }: TestedResource): string =>
    `${title}-${type.slice(type.indexOf(":") + 1)}`;
  const argsOf = (tested: TestedResource, { adopt, changed }: Saying): Values => {
    const { args, context, resourceCase, resourceClass } = tested;
    const { definition } = resourceClass;
    const change = (updateOf(resourceCase) ?? replacementOf(resourceCase))?.(context);
    return { ...args, ...(adopt && canAdopt(definition) ? { adopt } : {}), ...(changed ? change : {}) };
  };
  const program =
    (when: "former" | "present"): Program =>
    () => {
      const inTeam = { parent: new pulumi.ComponentResource("tests:Team", "team") };
      const connection = { ...connectionTo(emulator, "provisioning"), ...connectionTo(emulator, "secrets") };
      const provider = new trivium.Provider("explicit", connection);
      for (const [title, alternative] of Object.entries(alternatives)) {
        const saying = alternative[when] ?? {};
        for (const tested of members.get(title) ?? []) {
          const args = argsOf(tested, saying);
          tested.name = keyOf(saying.name ?? title, tested);
          const alias = saying.inComponent
            ? { parent: pulumi.rootStackResource }
            : { name: keyOf(title, tested) };
          const options = {
            ...saying.options,
            ...(saying.changed ? { replaceOnChanges: Object.keys(args) } : {}),
            ...(saying.aliased ? { aliases: [alias] } : {}),
            ...(saying.inComponent ? inTeam : {}),
            ...(saying.elsewhere ? { provider } : {}),
          };
          tested.declare(pulumi.mergeOptions(adapter === "dynamic" ? recordedIn(calls) : {}, options), args);
        }
      }
    };

  before(async () => {
    const titles = Object.keys(alternatives);
    const all = await TestedResource.prepareAll(
      emulator,
      "documented",
      undefined,
      titles.flatMap(() => kinds),
    );
    titles.forEach((title, index) =>
      members.set(title, all.slice(index * kinds.length, (index + 1) * kinds.length)),
    );
    calls = join(stack.directory, "calls");
    await stack.up(program("former"));
    former = await stack.idsByName(projectType);
    const urns = (await stack.resources()).map(({ urn }) => urn);
    rmSync(calls, { force: true });
    emulator.journal.clear();
    outcome = await stack.up(program("present"), {
      replace: urns.filter((urn) => urn.includes("::replaced-by-hand")),
    });
  });

  for (const [title, alternative] of Object.entries(alternatives)) {
    it(`the engine calls in the known order, and the service has one object for each resource: ${title}`, async () => {
      for (const tested of members.get(title) ?? []) {
        const { args, resourceCase } = tested;
        // Only the text of a dynamic provider can be replaced by one that records what it is asked.
        if (adapter === "dynamic") {
          const [own = ""] = Object.keys(args);
          const expected = alternative
            .calls(!resourceCase.managesExisting)
            .map((call) => call.replace(/(?<=: \w+ )[\w-]+/, (name) => keyOf(name, tested)));
          const found = callsIn(calls, keyOf(title, tested), (values) => values[own] === args[own]);
          assert.deepEqual(found, expected, resourceCase.type);
        }
        await tested.assertPresent(1);
      }
    });
  }

  it("a project is the same object unless it is replaced, and no other object is deleted", async () => {
    const present = await stack.idsByName(projectType);
    const replaced: string[] = [];
    for (const [title, { present: saying, replacedByHand, kept }] of Object.entries(alternatives)) {
      const id = former.get(`${title}-Project`) ?? "";
      const name = `${saying.name ?? title}-Project`;
      const isReplaced = saying.changed === true || replacedByHand === true;
      assert.equal(present.get(name) === id, !isReplaced, title);
      replaced.push(...(isReplaced ? [id] : []));
      const message = `${id} was not deleted: the resource "${name}" manages it.`;
      assert.equal(outcome.text.includes(message), kept === true, title);
    }
    const deleted = emulator.journal.requests({ method: "DELETE", path: /\/projects\// });
    assert.deepEqual(deleted.map(({ path }) => path.split("/").at(-1)).sort(), replaced.sort());
    const changed = projectsIn(emulator).filter(({ name }) => name.endsWith("-production"));
    assert.equal(changed.length, Object.values(alternatives).filter((each) => each.present.changed).length);
  });

  it("a TOTP secret in state is the secret in the service", async () => {
    const keys = emulator.inspect().secrets.totpSecrets.map(({ key }) => key);
    const state = JSON.stringify(await stack.resourcesInClear(typeWith(adapter, "secrets/mfa:TotpSecret")));
    assert.equal(keys.length, members.size);
    keys.forEach((key) => assert.ok(state.includes(key)));
  });

  it("a resource that was handed over shows no change afterwards, nor after a refresh", async () => {
    emulator.journal.clear();
    await stack.previewWithoutChanges(program("present"));
    assert.equal(emulator.journal.count(), 0);
    assert.deepEqual((await stack.refresh()).changes, {});
    await stack.previewWithoutChanges(program("present"));
  });

  it("a destroyed stack leaves only retained objects", async () => {
    await stack.destroy();
    for (const [title, all] of members) {
      for (const tested of all) {
        await tested.assertPresent(alternatives[title]?.outlives ? 1 : 0);
      }
    }
  });
});
