import { type MountPath, path } from "../../base/path";
import { builtOnce } from "../../base/schema";
import type { Dialect } from "../../base/settings";
import { type Former, needs, notTogether, type RemoteObject, type Rule } from "../../resource/definition";
import { field, type Kind, output, type Given } from "../../resource/fields/field";
import { caseInsensitive, flag, isGiven, nameInPath, text, triggers } from "../../resource/fields/kinds";
import { seconds } from "../seconds";
import { secretsDialects } from "../dialect";
import { folder, keptName, mount } from "../mount";

export const usualMount = "ldap";

/** The rows of a rotation by trigger. */
export const rotationRows = {
  /**
   * Arbitrary values. If one changes, the password is rotated again.
   *
   * @default the password is rotated once
   */
  triggers: triggers(),
  /** When this resource last rotated the password: ISO 8601. */
  rotatedAt: output(text({ local: "class", recomputedBy: ["triggers"] })),
};

const enterprise = (release: string) =>
  ({ only: { dialect: "hashicorp", since: `Vault Enterprise ${release}` }, told: "maybe" }) as const;

/** @internal For arguments of Vault Enterprise 2.0. */
export const enterprise20 = enterprise("2.0");

/** @internal For arguments of Vault Enterprise 2.2. */
export const enterprise22 = enterprise("2.2");

const scheduled = enterprise("1.19 for configurations, 2.0 for roles");

/** The rows for automatic rotation by Vault, without a trigger. */
export const automatedRows = {
  /**
   * When the password is rotated: a cron schedule, in UTC. Conflicts with `rotationPeriod`. A change is made in place.
   * Only in the hashicorp dialect: Vault Enterprise 1.19 for configurations, 2.0 for roles.
   *
   * @default none
   */
  rotationSchedule: text({ ...scheduled, cleared: "" }),
  /**
   * How long after its scheduled time (`rotationSchedule`) a rotation can still start: seconds, or a duration such as
   * `"2h"`; at least one hour, or 0 for no limit. A change is made in place. Only in the hashicorp dialect: Vault
   * Enterprise 1.19 for configurations, 2.0 for roles.
   *
   * @default 0
   */
  rotationWindow: seconds({ ...scheduled, cleared: 0, check: atLeast(3_600, "1h") }),
  /**
   * The name of a policy of Vault's rotation manager, which defines how a failed rotation is retried. A change is made
   * in place. Only in the hashicorp dialect: Vault Enterprise 2.0.
   *
   * @default none
   */
  rotationPolicy: text({ ...enterprise20, cleared: "" }),
  /**
   * Keep the schedule or period, but do not rotate. A change is made in place. Only in the hashicorp dialect: Vault
   * Enterprise 1.19 for configurations, 2.0 for roles.
   *
   * @default false
   */
  disableAutomatedRotation: flag({ ...scheduled, cleared: false }),
  /**
   * Rotate the password of a static role when its credentials are read. In the configuration, it sets the default
   * for the mount's roles; a role for which a value has been set keeps its own. A change is made in place. Only in
   * the hashicorp dialect: Vault Enterprise 2.2.
   *
   * @default false; for a role, the configuration's value
   */
  rotateOnRead: flag({ ...enterprise22, cleared: false }),
  /**
   * How long reads return the same password after a rotation by `rotateOnRead`: seconds, or a duration such
   * as `"5m"`; 0 to rotate on every read. A change is made in place. Only in the hashicorp dialect: Vault
   * Enterprise 2.2.
   *
   * @default "1m"; for a role, the configuration's value
   */
  rotateOnReadCooldown: seconds({ ...enterprise22, cleared: 60 }),
  /**
   * Unlock the account after a rotation, in a directory with the schema `"ad"`. A change is made in place. Only in the
   * hashicorp dialect: Vault Enterprise 2.2.
   *
   * @default false; for a role, the configuration's value
   */
  autoUnlock: flag({ ...enterprise22, cleared: false }),
};

/**
 * Whether the service has rotated the password, for any reason, since it received the one from the program.
 *
 * @param output when the password was last rotated; null if it never was
 *
 * @internal
 */
export function isRotatedSince({ outputs, privateState }: Former, output: string): boolean {
  const last = outputs[output] ?? null;
  return last !== null && last !== privateState.sentAfterRotation;
}

/** @internal */
export const rotationState = builtOnce((z) =>
  z.object({ sentAfterRotation: z.string().optional().catch(undefined) }),
);

/** What to record when the program's password was sent: every rotation known by then came before it. */
export function sentAfter(rotation: string | null | undefined): { readonly sentAfterRotation?: string } {
  return isGiven(rotation) ? { sentAfterRotation: rotation } : {};
}

/**
 * A request with a schedule and a period is rejected, so this clears what the program does not set, which
 * another client might have set.
 *
 * @param own the arguments that the program sets
 */
export function withoutOtherRotation<Values extends Readonly<Record<string, unknown>>>(
  values: Values,
  ...own: readonly ReadonlySet<string>[]
): Values {
  const { rotationSchedule, rotationPeriod } = values;
  if (!isGiven(rotationSchedule) || typeof rotationPeriod !== "number" || rotationPeriod === 0) {
    return values;
  }
  return own.some((names) => names.has("rotationSchedule"))
    ? { ...values, rotationPeriod: 0 }
    : { ...values, rotationSchedule: "", rotationWindow: 0 };
}

/** 0 is none. */
export function atLeast(least: number, text: string): (value: number) => string | undefined {
  return (value) => (value === 0 || value >= least ? undefined : `must be ${text} or more, or 0 for none`);
}

type Rotating = Given<typeof automatedRows> & { readonly rotationPeriod?: unknown };

/** @internal The service rejects a schedule together with a period, and a window without a schedule. */
export const automatedRules: readonly Rule<Rotating>[] = [
  notTogether("rotationSchedule", "rotationPeriod"),
  needs("rotationWindow", "rotationSchedule"),
];

/**
 * Two lists, either of which shows that the service is there: there is no documented list of configurations or
 * dynamic roles.
 *
 * @internal
 */
export const directoryLists = (at: MountPath) =>
  [{ path: path`/${at}/static-role`, isPlain: true }, { path: path`/${at}/library` }] as const;

export const directoryMount = {
  /**
   * Where the directory engine is mounted.
   *
   * @default "ldap"
   */
  mount: mount(usualMount),
};

function objectName(as: (name: string, dialect: Dialect) => string = (name) => name) {
  const kind = (dialect: Dialect): Kind<string, string> => ({
    argument: (z) => nameInPath(z).transform((name) => as(name, dialect)),
    response: (z) => z.string(),
    canonical: secretsDialects[dialect].foldsNames ? caseInsensitive : undefined,
  });
  return field(kind, { place: "path", replaces: true });
}

export const folderRows = {
  /**
   * Returns only the names below this path: `payments` for `payments/reports`. Only in the hashicorp dialect: Vault
   * 1.17, the first release in which names can contain a `/`.
   *
   * @default all names
   */
  path: folder,
};

/** In a result, the name is as the service stores it. */
export const roleFields = {
  ...directoryMount,
  /** The role's name. In the hashicorp dialect it is case-insensitive. */
  roleName: objectName(keptName),
};

export const librarySetName = {
  ...directoryMount,
  /** The name of the library set. */
  name: objectName(),
};

/**
 * @internal Treats the program's password as current after an adoption, because the real one might have been
 * rotated.
 */
export function withSecret(
  found: RemoteObject | undefined,
  argument: string,
  value: unknown,
): RemoteObject | undefined {
  const own = value === undefined ? {} : { [argument]: value };
  return found && { ...found, state: { ...found.state, ...own } };
}
