import { isObject } from "../base/json";
import { mountPath, path, type Path } from "../base/path";
import {
  codeOf,
  describeResponse,
  type Examination,
  inWords,
  listed,
  policiesIn,
  type Probe,
  type Questions,
  refusedToken,
  sayingOf,
} from "../connection/probe";
import type { HttpResponse } from "../http/transport";
import { contentOf } from "./response";
import { secretsDialects } from "./dialect";
import { aliasIds } from "./identity/entity-alias";
import { methods } from "./mfa/totp-method";
import { secretsService } from "./service";

/** A token that ends before a long deployment does. */
const shortestLife = 3_600;

/** Something that a token may or may not do. */
interface Right {
  /** What it is about: `entity aliases`, or the path of a mount. */
  readonly subject: string;
  /** What there is to list: `static roles`. */
  readonly what: string;
  readonly list: Path;
  /** By the document the list is a plain `GET`. */
  readonly isPlain?: true | undefined;
  /** What there is to write, with the path that a policy has to allow. */
  readonly writes: readonly (readonly [what: string, path: string])[];
  /** Whether the user has asked for it, so that it must be there. */
  readonly named: boolean;
}

/** What belongs to no engine. */
const ownRights: readonly [Right, ...Right[]] = [
  {
    subject: "entity aliases",
    what: "entity aliases",
    list: aliasIds,
    writes: [["them", "identity/entity-alias"]],
    named: false,
  },
  {
    subject: "MFA methods",
    what: "TOTP methods",
    list: methods,
    writes: [["them", methods.slice(1)]],
    named: false,
  },
];

interface Engine {
  readonly name: string;
  readonly what: string;
  readonly folder: string;
  /** @see Right.isPlain */
  readonly isPlain?: true;
  /** What is written, with its path on the mount; one name represents all. */
  readonly writes: Right["writes"];
}

const directoryEngine: Engine = {
  name: "directory",
  what: "static roles",
  folder: "static-role",
  isPlain: true,
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

/** The kinds of engines, by the types of mounts. */
const engines = new Map([
  ["ldap", directoryEngine],
  ["openldap", directoryEngine],
  ["nomad", schedulerEngine],
]);

interface Health {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly version: string;
}

/** How the secrets service is examined. */
export const secretsProbe: Probe = {
  service: secretsService,
  first: {
    path: path`/sys/health`,
    // Servers that wait for others to fail are well too.
    query: { standbyok: true, perfstandbyok: true },
    headers: secretsDialects.hashicorp.requestHeaders,
  },
  documented: { path: aliasIds, query: { list: true } },

  recognize(response) {
    const version = healthIn(response)?.version;
    return version === undefined
      ? undefined
      : { name: version.includes("+ent") ? "Vault Enterprise" : "Vault or OpenBao", version };
  },

  isServiceResponse: (response) => healthIn(response) !== undefined || listsErrors(response),

  speaksAsDocumented: async (questions) =>
    verdictOn(await list(questions.in("documented"), ownRights[0])) === "allowed",

  async examine(examination, first) {
    const { questions } = examination;
    const health = healthIn(first);
    if (health !== undefined && (health.sealed || !health.initialized)) {
      reportUnusable(examination, health);
      return;
    }
    const life = questions.ofProduct ? await questions.get(path`/auth/token/lookup-self`) : undefined;
    const { rights, others } = await rightsOnMounts(examination);
    const asked = await Promise.all(
      [...ownRights, ...rights].map(async (right) => ({ right, response: await list(questions, right) })),
    );
    const [own] = asked;
    if (own && life?.status !== 200 && asked.every(({ response }) => verdictOn(response) === "refused")) {
      const reason = "The token is invalid, revoked or expired, or has no permissions.";
      refusedToken(examination, life ?? own.response, reason);
      return;
    }
    reportToken(examination, life);
    const writable = await writableOf(
      questions,
      asked.map(({ right }) => right),
    );
    asked.forEach(({ right, response }) =>
      reportRight(examination, right, response, writable?.(right) ?? []),
    );
    others.forEach((reportMount) => reportMount());
  },
};

function list(questions: Questions, right: Pick<Right, "list" | "isPlain">): Promise<HttpResponse> {
  return questions.get(right.list, right.isPlain && !questions.ofProduct ? {} : { list: true });
}

/** What the response to a list says about the right to it. */
function verdictOn(response: HttpResponse): "allowed" | "refused" | "absent" | "failed" {
  const { status } = response;
  if (status < 300) {
    return "allowed";
  }
  if (status === 404) {
    // An empty list is absent too, but silently.
    return isObject(response.body) && sayingOf(response) === "" ? "allowed" : "absent";
  }
  return status === 401 || status === 403 ? "refused" : "failed";
}

/** Errors are texts here, and objects elsewhere. */
function listsErrors({ body }: HttpResponse): boolean {
  const errors: unknown = isObject(body) ? body.errors : undefined;
  return Array.isArray(errors) && errors.every((error) => typeof error === "string");
}

function healthIn({ body }: HttpResponse): Health | undefined {
  if (!isObject(body)) {
    return undefined;
  }
  const { initialized, sealed, version } = body;
  return typeof initialized === "boolean" && typeof sealed === "boolean" && typeof version === "string"
    ? { initialized, sealed, version }
    : undefined;
}

function reportUnusable({ report }: Examination, { initialized }: Health): void {
  const [state, verb, code] = initialized
    ? ["sealed", "unseal", "SEALED"]
    : ["not initialized", "initialize", "NOT_INITIALIZED"];
  const advice = `An operator must ${verb} the service.`;
  report("problem", "product", `the service is ${state}`, { advice, code });
}

function reportToken({ report }: Examination, life: HttpResponse | undefined): void {
  if (life?.status !== 200) {
    report("ok", "token", life === undefined ? "valid" : "valid, but the token may not look itself up");
    return;
  }
  const { data } = contentOf(life);
  const { display_name: name, policies, ttl } = isObject(data) ? data : {};
  const ends = typeof ttl === "number" && ttl > 0 ? ttl : undefined;
  const message = [
    typeof name === "string" && name !== "" ? `valid, belongs to ${name}` : "valid",
    ...policiesIn(policies),
    ends === undefined ? "does not expire" : `expires in ${inWords(ends)}`,
  ].join(", ");
  if (ends !== undefined && ends < shortestLife) {
    report("warning", "token", message, {
      advice: "Operations that take longer will fail: use a token with a longer TTL, or renew it.",
      code: "ENDS_SOON",
    });
  } else {
    report("ok", "token", message);
  }
}

/** What there is to ask about the engines: a right a mount, and what is to be reported of other mounts. */
async function rightsOnMounts({
  questions,
  interests,
  report,
}: Examination): Promise<{ readonly rights: readonly Right[]; readonly others: readonly (() => void)[] }> {
  const { schedulerMount } = secretsDialects[questions.settings.dialect];
  const named = interests.mounts !== undefined;
  const usual = new Map([
    ["ldap", directoryEngine],
    [schedulerMount, schedulerEngine],
  ]);
  const rights: Right[] = [];
  const others: (() => void)[] = [];
  for (const mount of interests.mounts ?? usual.keys()) {
    const type = await typeOfMount(questions, mount);
    const known = engines.get(type ?? "");
    if (type !== undefined && known === undefined) {
      const advice = named ? { advice: "Name the mount of a directory or scheduler engine." } : {};
      others.push(() =>
        report(named ? "problem" : "note", "rights", `has an engine of another type: ${type}`, {
          subject: mount,
          code: "OTHER_ENGINE",
          ...advice,
        }),
      );
    } else {
      const engine = known ?? usual.get(mount) ?? (await guessEngine(questions, mount));
      rights.push(rightOn(mount, engine, named));
    }
  }
  return { rights, others };
}

function rightOn(mount: string, { name, what, folder, isPlain, writes }: Engine, named: boolean): Right {
  const at = mountPath(mount);
  return {
    subject: `${at.name} (${name})`,
    what,
    list: path`/${at}/${folder}`,
    isPlain,
    writes: writes.map(([written, place]) => [written, `${at.name}/${place}`]),
    named,
  };
}

/** @returns `undefined` where the service does not tell */
async function typeOfMount(questions: Questions, mount: string): Promise<string | undefined> {
  if (!questions.ofProduct) {
    return undefined;
  }
  const response = await questions.get(path`/sys/internal/ui/mounts/${mountPath(mount)}`);
  const { data } = contentOf(response);
  return response.status === 200 && isObject(data) && typeof data.type === "string" ? data.type : undefined;
}

/** An engine knows its own paths only. */
async function guessEngine(questions: Questions, mount: string): Promise<Engine> {
  const response = await list(questions, rightOn(mount, directoryEngine, true));
  return verdictOn(response) === "absent" ? schedulerEngine : directoryEngine;
}

/** Tells of a right what the token may write, in words; `undefined` if the service does not return it. */
async function writableOf(
  questions: Questions,
  rights: readonly Right[],
): Promise<((right: Right) => string[]) | undefined> {
  if (!questions.ofProduct) {
    return undefined;
  }
  const paths = rights.flatMap(({ writes }) => writes.map(([, place]) => place));
  const response = await questions.post(path`/sys/capabilities-self`, { paths });
  const { data } = contentOf(response);
  if (response.status >= 300 || !isObject(data)) {
    return undefined;
  }
  const may = ([, place]: Right["writes"][number]): boolean => {
    const capabilities: unknown = data[place];
    return (
      Array.isArray(capabilities) && ["root", "create", "update"].some((each) => capabilities.includes(each))
    );
  };
  return ({ writes }) => {
    const allowed = writes.filter(may).map(([what]) => what);
    const denied = writes.filter((each) => !may(each)).map(([what]) => what);
    return [
      ...(allowed.length === 0 ? [] : [`may write ${listed(allowed)}`]),
      ...(denied.length === 0 ? [] : [`may not write ${listed(denied, "or")}`]),
    ];
  };
}

function reportRight(
  { report }: Examination,
  { subject, named, what }: Right,
  response: HttpResponse,
  writable: readonly string[],
): void {
  const reportMissing = (message: string, advice: string): void =>
    report(named ? "problem" : "note", "rights", message, {
      subject,
      code: codeOf(response),
      ...(named ? { advice } : {}),
    });
  switch (verdictOn(response)) {
    case "allowed":
      report("ok", "rights", [`may list ${what}`, ...writable].join("; "), { subject });
      return;
    case "refused":
      reportMissing(
        [`may not list ${what}`, ...writable].join("; "),
        "Give the token a policy that allows it, or check the mount.",
      );
      return;
    case "absent":
      reportMissing("no such engine is mounted there", "Check the mount and the namespace.");
      return;
    case "failed":
      report("warning", "rights", describeResponse(response), {
        subject,
        code: codeOf(response),
        advice: "Try again, and check the log of the service.",
      });
  }
}
