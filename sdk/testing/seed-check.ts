import { nearestName } from "../base/nearest";
import { toMilliseconds } from "./duration";
import type { NewOrganization, NewUser, NewWorkspace } from "./provisioning/organizations";
import type { NewProject } from "./provisioning/projects";
import type { EmittedEvent } from "./scheduler/event";
import type { NewPolicy } from "./scheduler/policies";
import type { NewDirectoryEntry } from "./secrets/directory/entries";
import type { NewEntity } from "./secrets/entities";
import type { NewEnforcement } from "./secrets/mfa/enforcement-record";
import type { NewTotpMethod } from "./secrets/mfa/totp-methods-setup";
import type { NewMount } from "./secrets/mounts";
import type { NewPasswordPolicy } from "./secrets/password-policies";
import type { EmulatorSeed } from "./seed";

/** Finds what is wrong with a value, and names it as a person would reach it: `seed.users[0].id must be a string`. */
interface Form<out Value> {
  readonly problems: (value: unknown, at: string) => readonly string[];
  /** For the compiler: what has no problems is one. */
  readonly conforming?: Value;
}

/** A member that may be absent. */
interface Optional<out Value> {
  readonly optional: Form<Value>;
}

/** The form of each member: the compiler finds one that is forgotten, or that is no member. */
type Members<Value> = {
  readonly [Name in keyof Value]-?: undefined extends Value[Name]
    ? Optional<Exclude<Value[Name], undefined>>
    : Form<Value[Name]>;
};

/**
 * @param value what somebody has written, or what a JSON file holds
 * @throws Error with all that is wrong with it
 */
export function checkedSeed(value: unknown = {}): EmulatorSeed {
  const problems = seedForm.problems(value, "seed");
  if (problems.length > 0) {
    throw new Error(`${problems.length === 1 ? "" : "The seed is not valid: "}${problems.join("; ")}`);
  }
  return value as EmulatorSeed;
}

function form<Value>(expected: string, conforms: (value: unknown) => boolean): Form<Value> {
  return { problems: (value, at) => (conforms(value) ? [] : [`${at} must be ${expected}`]) };
}

function oneOf<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return form(words.map((word) => JSON.stringify(word)).join(" or "), (value) =>
    words.some((word) => word === value),
  );
}

function listOf<Item>(item: Form<Item>): Form<readonly Item[]> {
  return {
    problems: (value, at) =>
      Array.isArray(value)
        ? value.flatMap((each, index) => item.problems(each, `${at}[${index}]`))
        : [`${at} must be a list`],
  };
}

function recordOf<Item>(item: Form<Item>): Form<Readonly<Record<string, Item>>> {
  return {
    problems: (value, at) =>
      isObject(value)
        ? Object.entries(value).flatMap(([name, each]) =>
            item.problems(each, `${at}[${JSON.stringify(name)}]`),
          )
        : [`${at} must be an object`],
  };
}

/** @param expected what to say to a value that is neither */
function either<One, Other>(one: Form<One>, other: Form<Other>, expected: string): Form<One | Other> {
  return form(expected, (value) => [one, other].some(({ problems }) => problems(value, "").length === 0));
}

function optional<Value>(form: Form<Value>): Optional<Value> {
  return { optional: form };
}

function object<Value>(members: Members<Value>): Form<Value> {
  const forms = new Map(Object.entries<Form<unknown> | Optional<unknown>>(members));
  return {
    problems(value, at) {
      if (!isObject(value)) {
        return [`${at} must be an object`];
      }
      const unknown = Object.keys(value).filter((name) => !forms.has(name));
      return [
        ...unknown.map(
          (name) => `${at}.${name} is not a valid member; ${expectation(name, [...forms.keys()])}`,
        ),
        ...[...forms].flatMap(([name, member]) => {
          const given: unknown = value[name];
          if (given === undefined) {
            return "optional" in member ? [] : [`${at}.${name} is missing`];
          }
          return ("optional" in member ? member.optional : member).problems(given, `${at}.${name}`);
        }),
      ];
    },
  };
}

function expectation(name: string, names: readonly string[]): string {
  const near = nearestName(name, names);
  return near === undefined ? `expected one of ${names.join(", ")}` : `did you mean ${near}?`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isDuration(value: unknown): boolean {
  try {
    return (typeof value === "string" || typeof value === "number") && toMilliseconds(value) >= 0;
  } catch {
    return false;
  }
}

const text = form<string>("a string", (value) => typeof value === "string");
const name = form<string>(
  "a string of at least one character",
  (value) => typeof value === "string" && value !== "",
);
const flag = form<boolean>("true or false", (value) => typeof value === "boolean");
const count = form<number>("a whole number", (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const duration = form<string | number>(
  'milliseconds as a number, or a string such as "500ms", "30s" or "1h30m"',
  isDuration,
);
const nothing = form<null>("null", (value) => value === null);
const textOrNull = either(text, nothing, "a string or null");
const names = listOf(name);
const oneOrMore = either(name, names, "a string or a list of strings");

const seedForm = object<EmulatorSeed>({
  organizations: optional(
    listOf(
      object<NewOrganization>({
        name,
        defaultProjectId: optional(name),
        externalId: optional(text),
        notificationEmail: optional(text),
        accessBetaTools: optional(flag),
        isDisabled: optional(flag),
        iacBuildWorkerApplyTimeout: optional(textOrNull),
        iacBuildWorkerPlanTimeout: optional(textOrNull),
        iacWorkerSudoEnabled: optional(flag),
        globalModuleSharing: optional(flag),
        globalProviderSharing: optional(flag),
        ssoEnabled: optional(flag),
        workspaceLimit: optional(either(count, nothing, "a whole number or null")),
        ownerIds: optional(names),
        subscriptionId: optional(textOrNull),
        featureSetId: optional(textOrNull),
        moduleConsumers: optional(names),
        providerConsumers: optional(names),
      }),
    ),
  ),
  users: optional(
    listOf(
      object<NewUser>({ id: optional(name), username: optional(name), organization: optional(oneOrMore) }),
    ),
  ),
  projects: optional(listOf(object<NewProject>({ id: optional(name), organization: name, name }))),
  workspaces: optional(
    listOf(
      object<NewWorkspace>({
        id: optional(name),
        organization: name,
        project: optional(name),
        name: optional(name),
      }),
    ),
  ),
  mounts: optional(
    listOf(
      object<NewMount>({
        type: name,
        path: name,
        accessor: optional(name),
        defaultLeaseTtl: optional(duration),
        maxLeaseTtl: optional(duration),
      }),
    ),
  ),
  entities: optional(
    listOf(
      object<NewEntity>({ id: optional(name), name: optional(name), metadata: optional(recordOf(text)) }),
    ),
  ),
  totpMethods: optional(
    listOf(
      object<NewTotpMethod>({
        id: optional(name),
        issuer: text,
        period: optional(count),
        algorithm: optional(oneOf("SHA1", "SHA256", "SHA512")),
        digits: optional(count),
        keySize: optional(count),
        qrSize: optional(count),
        skew: optional(count),
        maxValidationAttempts: optional(count),
      }),
    ),
  ),
  enforcements: optional(listOf(object<NewEnforcement>({ name: optional(name), methodIds: names }))),
  passwordPolicies: optional(
    listOf(object<NewPasswordPolicy>({ name, length: optional(count), characters: optional(name) })),
  ),
  directoryEntries: optional(
    listOf(
      object<NewDirectoryEntry>({
        dn: name,
        password: optional(textOrNull),
        attributes: optional(recordOf(either(text, listOf(text), "a string or a list of strings"))),
        mayManage: optional(flag),
      }),
    ),
  ),
  schedulerPolicies: optional(
    listOf(
      object<NewPolicy>({
        name,
        readNodes: optional(flag),
        readJobs: optional(either(oneOf("*"), names, '"*" or a list of strings')),
      }),
    ),
  ),
  events: optional(
    listOf(
      object<EmittedEvent>({
        topic: name,
        type: name,
        key: text,
        namespace: optional(text),
        filterKeys: optional(listOf(text)),
        payload: optional(recordOf(form("anything", () => true))),
      }),
    ),
  ),
});
