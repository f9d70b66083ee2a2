import { resolveSettings } from "../../connection/resolve";
import { configurationKey, type ServiceName, variablesOf } from "../../base/settings";
import { findDialect, findToken, type Sources } from "../../connection/sources";
import { CancelledError, ContractError, ServiceError } from "../../base/errors";
import { nameOfSetting } from "../../base/setting-name";
import type { Answer } from "../../http/transport";
import { codeOf, describeAnswer } from "./answers";
import { explainError } from "./explain-error";
import { Findings } from "./finding";
import type { Examination, Interests, Probe, Product, Question } from "./probe";
import { Questions } from "./questions";
import { isConfigured, missingSettings } from "./missing-settings";
import { type SettingInUse, settingsInUse } from "./settings-in-use";
import { reportEncryption } from "./encryption";

/** What is known of one service in the end. */
export interface ServiceReport {
  readonly service: ServiceName;
  /** Whether anything says where it is, or with which token it is to be asked. */
  readonly configured: boolean;
  readonly address: string | undefined;
  readonly dialect: string | undefined;
  readonly settings: readonly SettingInUse[];
  readonly product: Product | undefined;
  readonly findings: Findings;
}

/** What to examine a service with. */
export interface Circumstances {
  readonly sources: Sources;
  readonly interests: Interests;
  readonly signal: AbortSignal;
  /** Whether the service has to be configured: the user has named it. */
  readonly required: boolean;
}

/**
 * Examines one service. What is wrong is a finding.
 *
 * @throws CancelledError
 */
export async function examineService(probe: Probe, circumstances: Circumstances): Promise<ServiceReport> {
  const { sources, required } = circumstances;
  const { service } = probe;
  const findings = new Findings();
  const configured = isConfigured(sources, service);
  const missing = missingSettings(sources, service, required);
  let examined: Pick<ServiceReport, "address" | "product"> = { address: undefined, product: undefined };
  if (missing === undefined) {
    examined = await examineConfigured(probe, circumstances, findings);
  } else {
    findings.add(missing);
  }
  return {
    service,
    configured,
    ...examined,
    dialect: configured ? findDialect(sources, service) : undefined,
    settings: settingsInUse(sources, service),
    findings,
  };
}

async function examineConfigured(
  probe: Probe,
  { sources, interests, signal }: Circumstances,
  findings: Findings,
): Promise<Pick<ServiceReport, "address" | "product">> {
  let address: string | undefined;
  let product: Product | undefined;
  try {
    const settings = resolveSettings(sources, probe.service);
    address = settings.address;
    const questions = new Questions(settings, signal);
    const first = await firstAnswer(probe, questions);
    product = probe.recognize(first);
    if (product === undefined && isUnknownPath(probe, first)) {
      await examineUnrecognized(probe, { questions, findings, interests }, first);
      return { address, product };
    }
    if (!isFromService(probe, first, product, findings)) {
      return { address, product };
    }
    findings.report("ok", "address", "answers");
    reportEncryption(settings, sources, findings);
    if (!(await isRightDialect(probe, questions, product, findings))) {
      return { address, product };
    }
    product = product && ((await probe.identify?.(product, questions)) ?? product);
    reportProduct(product, findings);
    const token = findToken(sources, probe.service);
    if (token !== undefined) {
      await probe.examine({ questions, findings, interests, token }, first);
    }
  } catch (error) {
    if (CancelledError.isInstance(error)) {
      throw error;
    }
    findings.add(explainError(error));
  }
  return { address, product };
}

function reportProduct(product: Product | undefined, findings: Findings): void {
  if (product === undefined) {
    findings.report("note", "product", "tells neither what it is nor its version");
    return;
  }
  const { name, version, versionNeeds } = product;
  const unknown = versionNeeds === undefined ? "" : `, whose version is told with ${versionNeeds} only`;
  findings.report("ok", "product", version === undefined ? `${name}${unknown}` : `${name} ${version}`);
}

/** An answer that tells what is at the address; of several the one that tells most. */
async function firstAnswer(probe: Probe, questions: Questions): Promise<Answer> {
  const { first, documented } = probe;
  const ask = ({ path, query, headers }: Question): Promise<Answer> =>
    questions.anonymously(headers).get(path, query);
  if (documented === undefined) {
    return ask(first);
  }
  const answer = await ask(first).catch((error: unknown) => {
    if (isPage(error)) {
      return undefined;
    }
    throw error;
  });
  const isTelling =
    answer !== undefined && (probe.recognize(answer) !== undefined || probe.isAnswerOfService(answer));
  return isTelling ? answer : ask(documented);
}

/** Whether somebody has answered, but with a page of markup. */
function isPage(error: unknown): boolean {
  return ContractError.isInstance(error) || (ServiceError.isInstance(error) && error.status >= 400);
}

/** Whether the server has no such path, which tells nothing of the paths that it has. */
function isUnknownPath(probe: Probe, answer: Answer): boolean {
  return (answer.status === 404 || answer.status === 405) && !probe.isAnswerOfService(answer);
}

/**
 * A compatible server may lack everything that is asked first. Only what the user names can tell more: then the token
 * goes where resources would send it.
 */
async function examineUnrecognized(
  probe: Probe,
  examination: Pick<Examination, "questions" | "findings" | "interests">,
  first: Answer,
): Promise<void> {
  const { questions, findings } = examination;
  const { service } = probe;
  const named = (await probe.examineNamed?.(examination)) ?? [];
  const works = named.some((each) => each);
  findings.report(
    works ? "warning" : "problem",
    "address",
    `could not find out whether this is the ${service} service, and whether the token is valid: the server does not ` +
      "know the requests that doctor makes",
    {
      advice: [
        `The last of them ${describeAnswer(first)}.`,
        ...(works ? ["What was named works."] : [`Check ${nameOfSetting(questions.settings, "address")}.`]),
        ...(named.length === 0 && probe.nameMore !== undefined
          ? [`A compatible server may lack them: ${probe.nameMore}`]
          : []),
      ].join(" "),
      code: "NOT_RECOGNIZED",
    },
  );
}

function isFromService(
  probe: Probe,
  first: Answer,
  product: Product | undefined,
  findings: Findings,
): boolean {
  const { status } = first;
  if (product === undefined && (status === 407 || status === 429 || status >= 500)) {
    findings.report("problem", "address", describeAnswer(first), {
      advice:
        status === 407
          ? "The proxy wants to know who asks: put user and password into its address."
          : "The service, or a proxy before it, is not able to answer now.",
      code: codeOf(first),
    });
    return false;
  }
  if (product === undefined && !probe.isAnswerOfService(first)) {
    findings.report("problem", "address", `something else answers than the ${probe.service} service`, {
      advice: `Check ${configurationKey(probe.service, "address")}. It ${describeAnswer(first)}`,
      code: "NOT_THE_SERVICE",
    });
    return false;
  }
  return true;
}

async function isRightDialect(
  probe: Probe,
  questions: Questions,
  product: Product | undefined,
  findings: Findings,
): Promise<boolean> {
  const { service } = probe;
  const { dialect } = questions.settings;
  const variable = variablesOf("documented", service, "dialect").join(" or ");
  const key = configurationKey(service, "dialect");
  if (product !== undefined) {
    if (product.dialect === dialect) {
      return true;
    }
    findings.report("problem", "dialect", `${dialect}, but this looks like ${product.name}`, {
      advice: `Set ${key} or ${variable} to ${product.dialect}.`,
      code: "WRONG_DIALECT",
    });
    return false;
  }
  if (!probe.tellsProduct[dialect]) {
    return true;
  }
  if (await probe.speaksAsDocumented(questions)) {
    findings.report("problem", "dialect", `${dialect}, but the service speaks as documented`, {
      advice: `Set ${key} or ${variable} to documented, or set neither.`,
      code: "WRONG_DIALECT",
    });
    return false;
  }
  findings.report("warning", "dialect", `${dialect}, but no product of that dialect tells that it is there`, {
    advice: `If the service speaks as documented, set ${key} or ${variable} to documented.`,
    code: "UNKNOWN_PRODUCT",
  });
  return true;
}
