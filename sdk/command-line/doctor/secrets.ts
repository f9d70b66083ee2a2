import type { Dialect } from "../../base/settings";
import { path, type Path } from "../../base/path";
import type { Answer } from "../../http/transport";
import { isObject } from "../../base/json";
import { contentOf } from "../../secrets/answer";
import { secretsDialects } from "../../secrets/dialect";
import { codeOf, describeAnswer, inWords, listed } from "./answers";
import type { Examination, Probe, Product } from "./probe";
import { capabilitiesFor, ownRights, type Right, rightsOnMounts, verdictOn } from "./secrets-rights";
import { refusedToken } from "./token";

/** A token that ends before a long deployment does. */
const shortestLife = 3_600;

/** Where a token can learn about itself. */
const lookUpPath: Readonly<Record<Dialect, Path | undefined>> = {
  documented: undefined,
  hashicorp: path`/auth/token/lookup-self`,
};

interface Health {
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly version: string;
}

/** Examines the secrets service. */
export const secretsProbe: Probe = {
  service: "secrets",
  // Servers that wait for others to fail are well too.
  first: {
    path: path`/sys/health`,
    query: { standbyok: true, perfstandbyok: true },
    headers: secretsDialects.hashicorp.requestHeaders,
  },
  documented: { path: ownRights[0].list, query: { list: true } },
  tellsProduct: { documented: false, hashicorp: true },

  recognize(answer) {
    const health = healthIn(answer);
    return health && productOf(health);
  },

  isAnswerOfService: (answer) => healthIn(answer) !== undefined || listsErrors(answer),

  async speaksAsDocumented(questions) {
    const [first] = ownRights;
    const answer = await questions.in("documented").get(first.list, { list: true });
    return verdictOn(answer) === "allowed";
  },

  async examine(examination, first) {
    const health = healthIn(first);
    if (health !== undefined && (health.sealed || !health.initialized)) {
      reportState(examination, health);
      return;
    }
    const life = await lookUp(examination);
    const mounts = await rightsOnMounts(examination);
    const rights = [...ownRights, ...mounts.rights];
    const answers = await Promise.all(
      rights.map(async (right) => examination.questions.get(right.list, { list: true })),
    );
    const refused = answers.every((answer) => verdictOn(answer) === "refused");
    if (refused && life?.status !== 200) {
      const [answer] = answers;
      if (answer !== undefined) {
        refusedToken(examination, life ?? answer, "It is wrong, revoked or expired, or has no right at all.");
      }
      return;
    }
    reportToken(examination, life);
    const capabilities = await capabilitiesFor(examination, rights);
    rights.forEach((right, position) => {
      const answer = answers[position];
      if (answer !== undefined) {
        reportRight(examination, right, answer, capabilities);
      }
    });
    mounts.others.forEach((report) => report());
  },
};

/** Errors are texts here, and objects elsewhere. */
function listsErrors({ body }: Answer): boolean {
  const errors: unknown = isObject(body) ? body.errors : undefined;
  return Array.isArray(errors) && errors.every((error) => typeof error === "string");
}

function healthIn({ body }: Answer): Health | undefined {
  if (!isObject(body)) {
    return undefined;
  }
  const { initialized, sealed, version } = body;
  return typeof initialized === "boolean" && typeof sealed === "boolean" && typeof version === "string"
    ? { initialized, sealed, version }
    : undefined;
}

function productOf({ version }: Health): Product {
  const name = version.includes("+ent") ? "Vault Enterprise" : "Vault or OpenBao";
  return { name, version, dialect: "hashicorp" };
}

function reportState({ findings }: Examination, { initialized }: Health): void {
  const [message, code] = initialized ? ["sealed", "SEALED"] : ["not initialized", "NOT_INITIALIZED"];
  findings.report("problem", "product", `the service is ${message} and answers nothing else`, {
    advice: initialized ? "Its operator has to unseal it." : "Its operator has to initialize it.",
    code,
  });
}

async function lookUp({ questions }: Examination): Promise<Answer | undefined> {
  const lookUpSelf = lookUpPath[questions.settings.dialect];
  return lookUpSelf === undefined ? undefined : questions.get(lookUpSelf);
}

function reportToken({ findings }: Examination, life: Answer | undefined): void {
  if (life === undefined) {
    findings.report("ok", "token", "valid");
    return;
  }
  if (life.status !== 200) {
    findings.report("ok", "token", "valid, but it may not look itself up");
    return;
  }
  const { data } = contentOf(life);
  const { display_name: name, policies, ttl } = isObject(data) ? data : {};
  const names = Array.isArray(policies) ? policies.map(String) : [];
  const description = [
    typeof name === "string" && name !== "" ? `valid, that of ${name}` : "valid",
    ...(names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`]),
  ];
  const ends = typeof ttl === "number" && ttl > 0 ? ttl : undefined;
  if (ends !== undefined && ends < shortestLife) {
    findings.report("warning", "token", [...description, `ends in ${inWords(ends)}`].join(", "), {
      advice: "What takes longer will fail halfway: use a token with a longer life, or renew it.",
      code: "ENDS_SOON",
    });
  } else {
    const end = ends === undefined ? "has no end" : `ends in ${inWords(ends)}`;
    findings.report("ok", "token", [...description, end].join(", "));
  }
}

function reportRight(
  { findings }: Examination,
  right: Right,
  answer: Answer,
  capabilities: ReadonlyMap<string, readonly string[]> | undefined,
): void {
  const { subject, named } = right;
  const writable = capabilities === undefined ? [] : writing(right, capabilities);
  switch (verdictOn(answer)) {
    case "allowed":
      findings.report("ok", "rights", [`may list ${right.what}`, ...writable].join("; "), { subject });
      return;
    case "refused":
      findings.report(
        named ? "problem" : "note",
        "rights",
        [`may not list ${right.what}`, ...writable].join("; "),
        {
          subject,
          code: codeOf(answer),
          ...(named ? { advice: "Give the token a policy that allows it, or check the mount." } : {}),
        },
      );
      return;
    case "absent":
      findings.report(named ? "problem" : "note", "rights", "no such engine is mounted there", {
        subject,
        code: codeOf(answer),
        ...(named ? { advice: "Check the mount, and the namespace." } : {}),
      });
      return;
    case "failed":
      findings.report("warning", "rights", describeAnswer(answer), {
        subject,
        code: codeOf(answer),
        advice: "Ask again; the service's own log says why.",
      });
  }
}

/** What the token may write, where the service says. */
function writing({ writes }: Right, capabilities: ReadonlyMap<string, readonly string[]>): string[] {
  const may = ([, place]: readonly [string, string]): boolean =>
    (capabilities.get(place) ?? []).some((capability) => ["root", "create", "update"].includes(capability));
  const names = (which: readonly (readonly [string, string])[]): string[] => which.map(([name]) => name);
  const allowed = names(writes.filter(may));
  const denied = names(writes.filter((each) => !may(each)));
  return [
    ...(allowed.length === 0 ? [] : [`may write ${listed(allowed)}`]),
    ...(denied.length === 0 ? [] : [`may not write ${listed(denied, "or")}`]),
  ];
}
