import type { Dialect } from "../../base/settings";
import { type MountPath, mountPath, path, type Path } from "../../base/path";
import type { Answer } from "../../http/transport";
import { isObject } from "../../base/json";
import { contentOf } from "../../secrets/answer";
import { secretsDialects } from "../../secrets/dialect";
import { sayingOf } from "./answers";
import type { Examination } from "./probe";

/** Something that a token may or may not do. */
export interface Right {
  /** What it is about: `entity aliases`, or the path of a mount. */
  readonly subject: string;
  /** What there is to list: `static roles`. */
  readonly what: string;
  readonly list: Path;
  /** What there is to write, with the path below the prefix that a policy has to allow. */
  readonly writes: readonly (readonly [what: string, path: string])[];
  /** Whether the user has asked for it, so that it has to be there. */
  readonly named: boolean;
}

/** What the answer to a list says about the right to it. */
export type Verdict = "allowed" | "refused" | "absent" | "failed";

/** What belongs to no engine. */
export const ownRights: readonly [Right, ...Right[]] = [
  {
    subject: "entity aliases",
    what: "entity aliases",
    list: path`/identity/entity-alias/id`,
    writes: [["them", "identity/entity-alias"]],
    named: false,
  },
  {
    subject: "MFA methods",
    what: "TOTP methods",
    list: path`/identity/mfa/method/totp`,
    writes: [["them", "identity/mfa/method/totp"]],
    named: false,
  },
];

interface Engine {
  readonly name: string;
  readonly what: string;
  readonly folder: string;
  /** What is written, with its place on the mount; any name stands for all. */
  readonly writes: readonly (readonly [what: string, place: string])[];
}

const directoryEngine: Engine = {
  name: "directory",
  what: "static roles",
  folder: "static-role",
  writes: [
    ["the configuration", "config"],
    ["static roles", "static-role/any"],
    ["dynamic roles", "role/any"],
    ["library sets", "library/any"],
  ],
};

const schedulerEngine: Engine = {
  name: "scheduler",
  what: "roles",
  folder: "role",
  writes: [
    ["access", "config/access"],
    ["the lease", "config/lease"],
    ["roles", "role/any"],
  ],
};

/** What a service tells about itself to those who ask. */
const selfDescription: Readonly<
  Record<
    Dialect,
    | {
        readonly mount: (at: MountPath) => Path;
        readonly capabilities: Path;
        /** The kinds of engines, by the types of mounts. */
        readonly engines: Readonly<Record<string, Engine>>;
      }
    | undefined
  >
> = {
  documented: undefined,
  hashicorp: {
    mount: (at) => path`/sys/internal/ui/mounts/${at}`,
    capabilities: path`/sys/capabilities-self`,
    engines: { ldap: directoryEngine, openldap: directoryEngine, nomad: schedulerEngine },
  },
};

const directoryMount = "ldap";

/** What there is to ask about the engines: a right a mount, and what is to be reported of other mounts. */
export async function rightsOnMounts(
  examination: Examination,
): Promise<{ readonly rights: readonly Right[]; readonly others: readonly (() => void)[] }> {
  const { questions, interests, findings } = examination;
  const { schedulerMount } = secretsDialects[questions.settings.dialect];
  const named = interests.mounts !== undefined;
  const usual = new Map([
    [directoryMount, directoryEngine],
    [schedulerMount, schedulerEngine],
  ]);
  const rights: Right[] = [];
  const others: (() => void)[] = [];
  for (const mount of interests.mounts ?? usual.keys()) {
    const type = await typeOfMount(examination, mount);
    const known = type === undefined ? undefined : selfDescription[questions.settings.dialect]?.engines[type];
    if (type !== undefined && known === undefined) {
      others.push(() =>
        findings.report(named ? "problem" : "note", "rights", `holds an engine of another kind: ${type}`, {
          subject: mount,
          code: "OTHER_ENGINE",
          ...(named ? { advice: "Name the mount of a directory or scheduler engine." } : {}),
        }),
      );
    } else {
      rights.push(
        rightOn(mount, known ?? usual.get(mount) ?? (await guessEngine(examination, mount)), named),
      );
    }
  }
  return { rights, others };
}

function rightOn(mount: string, { name, what, folder, writes }: Engine, named: boolean): Right {
  const at = mountPath(mount);
  return {
    subject: `${at.name} (${name})`,
    what,
    list: path`/${at}/${folder}`,
    writes: writes.map(([written, place]) => [written, `${at.name}/${place}`]),
    named,
  };
}

/** @returns `undefined` where the service does not tell */
async function typeOfMount({ questions }: Examination, mount: string): Promise<string | undefined> {
  const description = selfDescription[questions.settings.dialect];
  if (description === undefined) {
    return undefined;
  }
  const answer = await questions.get(description.mount(mountPath(mount)));
  const { data } = contentOf(answer);
  return answer.status === 200 && isObject(data) && typeof data.type === "string" ? data.type : undefined;
}

/** An engine knows its own paths only. */
async function guessEngine({ questions }: Examination, mount: string): Promise<Engine> {
  const { list } = rightOn(mount, directoryEngine, true);
  const answer = await questions.get(list, { list: true });
  return verdictOn(answer) === "absent" ? schedulerEngine : directoryEngine;
}

/** What the answer to a list means. */
export function verdictOn(answer: Answer): Verdict {
  const { status } = answer;
  if (status < 300) {
    return "allowed";
  }
  if (status === 404) {
    // An empty list is absent too, but without a word.
    return isObject(answer.body) && sayingOf(answer) === "" ? "allowed" : "absent";
  }
  return status === 401 || status === 403 ? "refused" : "failed";
}

/** What the token may do at the paths of these rights, by path; `undefined` where the service does not tell. */
export async function capabilitiesFor(
  { questions }: Examination,
  rights: readonly Right[],
): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const description = selfDescription[questions.settings.dialect];
  if (description === undefined) {
    return undefined;
  }
  const paths = rights.flatMap(({ writes }) => writes.map(([, place]) => place));
  const answer = await questions.post(description.capabilities, { paths });
  const { data } = contentOf(answer);
  if (answer.status >= 300 || !isObject(data)) {
    return undefined;
  }
  return new Map(
    paths.map((place) => [place, Array.isArray(data[place]) ? (data[place] as unknown[]).map(String) : []]),
  );
}
