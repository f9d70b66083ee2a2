import {
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../../base/errors";
import { nameOfSetting } from "../../base/setting-name";
import { configurationKey, type ServiceName, variablesOf } from "../../base/settings";
import {
  codeOf,
  describeResponse,
  type Examination,
  type Finding,
  type Interests,
  type Probe,
  type Product,
  Questions,
} from "../../connection/probe";
import { resolveSettings } from "../../connection/resolve";
import { findDialect, findSetting, findToken, type Sources } from "../../connection/sources";
import type { HttpResponse } from "../../http/transport";
import { isConfigured, missingSettings, type SettingInUse, settingsInUse } from "./settings";

/** The results for one service. */
export interface ServiceReport {
  readonly service: ServiceName;
  /** Whether anything says where it is, or with which token it is to be asked. */
  readonly configured: boolean;
  readonly address: string | undefined;
  readonly dialect: string | undefined;
  readonly settings: readonly SettingInUse[];
  readonly product: Product | undefined;
  /** In the order in which they were made. */
  readonly findings: Finding[];
}

/** The inputs of an examination. */
export interface Circumstances {
  readonly sources: Sources;
  readonly interests: Interests;
  readonly signal: AbortSignal;
  /** Whether the service must be configured: the user has named it. */
  readonly required: boolean;
}

/**
 * Examines one service. Problems are findings.
 *
 * @throws CancelledError
 */
export async function examineService(probe: Probe, circumstances: Circumstances): Promise<ServiceReport> {
  const { sources, required } = circumstances;
  const { name } = probe.service;
  const configured = isConfigured(sources, name);
  const missing = missingSettings(sources, name, required);
  const examined =
    missing === undefined
      ? await examineConfigured(probe, circumstances)
      : { address: undefined, product: undefined, findings: [missing] };
  return {
    service: name,
    configured,
    ...examined,
    dialect: configured ? findDialect(sources, name) : undefined,
    settings: settingsInUse(sources, name),
  };
}

async function examineConfigured(
  probe: Probe,
  { sources, interests, signal }: Circumstances,
): Promise<Pick<ServiceReport, "address" | "product" | "findings">> {
  const { service } = probe;
  const findings: Finding[] = [];
  let address: string | undefined;
  let product: Product | undefined;
  try {
    const settings = resolveSettings(sources, service.name);
    address = settings.address;
    const questions = new Questions(service, settings, signal);
    const examination: Examination = {
      questions,
      report: (state, check, message, more) => findings.push({ check, state, message, ...more }),
      interests,
      tokenSource: findToken(sources, service.name)?.source ?? "",
    };
    const first = await firstResponse(probe, questions);
    product = probe.recognize(first);
    if (product === undefined && !(await isFromService(probe, examination, first))) {
      return { address, product, findings };
    }
    examination.report("ok", "address", "reachable");
    reportEncryption(examination, sources);
    if (await isRightDialect(probe, examination, product)) {
      if (product !== undefined && probe.versionOf !== undefined) {
        product = { ...product, version: await probe.versionOf(questions) };
      }
      reportProduct(product, examination);
      await probe.examine(examination, first);
    }
  } catch (error) {
    if (CancelledError.isInstance(error)) {
      throw error;
    }
    findings.push(explainError(error));
  }
  return { address, product, findings };
}

function reportProduct(product: Product | undefined, { report }: Examination): void {
  if (product === undefined) {
    report("note", "product", "unknown: the service does not name its product or version");
    return;
  }
  const { name, version, versionNeeds } = product;
  const unknown = versionNeeds === undefined ? "" : ` (showing the version requires ${versionNeeds})`;
  report("ok", "product", version === undefined ? `${name}${unknown}` : `${name} ${version}`);
}

/** A response that tells what is at the address; of several the one that tells most. */
async function firstResponse(probe: Probe, questions: Questions): Promise<HttpResponse> {
  const { first, documented } = probe;
  if (documented === undefined) {
    return questions.anonymously(first);
  }
  const response = await questions.anonymously(first).catch((error: unknown) => {
    // Something responded, but with an HTML page.
    if (ContractError.isInstance(error) || (ServiceError.isInstance(error) && error.status >= 400)) {
      return undefined;
    }
    throw error;
  });
  const isTelling =
    response !== undefined && (probe.recognize(response) !== undefined || probe.isServiceResponse(response));
  return isTelling ? response : questions.anonymously(documented);
}

/** Whether the service itself responded, if it is not a known product. */
async function isFromService(probe: Probe, examination: Examination, first: HttpResponse): Promise<boolean> {
  const { report } = examination;
  const { status } = first;
  const service = probe.service.name;
  if (status === 407 || status === 429 || status >= 500) {
    report("problem", "address", describeResponse(first), {
      advice:
        status === 407
          ? "The proxy requires authentication: add user:password to its URL."
          : "The service, or a proxy in front of it, is unavailable.",
      code: codeOf(first),
    });
    return false;
  }
  if (probe.isServiceResponse(first)) {
    return true;
  }
  if (status === 404 || status === 405) {
    await examineUnrecognized(probe, examination, first);
  } else {
    report("problem", "address", `the response does not come from the ${service} service`, {
      advice: `Check ${configurationKey(service, "address")}. The server ${describeResponse(first)}`,
      code: "NOT_THE_SERVICE",
    });
  }
  return false;
}

/**
 * A compatible server may not support the first requests. Only objects that the user names can be checked,
 * with the token, as resources would.
 */
async function examineUnrecognized(
  probe: Probe,
  examination: Examination,
  first: HttpResponse,
): Promise<void> {
  const { questions, report } = examination;
  const named = (await probe.examineNamed?.(examination)) ?? [];
  const works = named.includes(true);
  const advice = [
    `The last request ${describeResponse(first)}.`,
    works ? "The checks you named succeeded." : `Check ${nameOfSetting(questions.settings, "address")}.`,
    ...(named.length === 0 && probe.examineNamed !== undefined
      ? [
          "A compatible server may not support them: name a workspace or an organization (--workspace ID, --organization NAME).",
        ]
      : []),
  ].join(" ");
  report(
    works ? "warning" : "problem",
    "address",
    `could not verify that this is the ${probe.service.name} service and that the token is valid: the ` +
      "server does not support the requests that doctor makes",
    { advice, code: "NOT_RECOGNIZED" },
  );
}

async function isRightDialect(
  probe: Probe,
  { questions, report }: Examination,
  product: Product | undefined,
): Promise<boolean> {
  const { dialect, service } = questions.settings;
  const places = [
    configurationKey(service, "dialect"),
    ...variablesOf("documented", service, "dialect"),
  ].join(" or ");
  const wrong = (what: string, advice: string): boolean => {
    report("problem", "dialect", `${dialect}, but ${what}`, { advice, code: "WRONG_DIALECT" });
    return false;
  };
  if (questions.ofProduct === (product !== undefined)) {
    return true;
  }
  if (product !== undefined) {
    return wrong(`this looks like ${product.name}`, `Set ${places} to hashicorp.`);
  }
  if (await probe.speaksAsDocumented(questions)) {
    return wrong(
      "the service speaks the documented dialect",
      `Set ${places} to documented, or remove the setting.`,
    );
  }
  report(
    "warning",
    "dialect",
    `${dialect}, but the service does not identify itself as a product of that dialect`,
    {
      advice: `If the service speaks the documented dialect, set ${places} to documented.`,
      code: "UNKNOWN_PRODUCT",
    },
  );
  return true;
}

const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reports the encryption of the connection. */
function reportEncryption({ questions: { settings }, report }: Examination, sources: Sources): void {
  const { address, insecureSkipVerify, clientCertificate, service } = settings;
  const { protocol, hostname } = new URL(address);
  if (protocol === "http:" && thisMachine.test(hostname)) {
    report("note", "tls", "plain HTTP, on this machine");
  } else if (protocol === "http:") {
    report("warning", "tls", "plain HTTP: the token is sent unencrypted", {
      advice: `If the service supports HTTPS, start ${nameOfSetting(settings, "address")} with https://.`,
      code: "PLAIN_HTTP",
    });
  } else if (insecureSkipVerify === true) {
    report("warning", "tls", "certificates are not verified: another server could impersonate the service", {
      advice: `Set ${nameOfSetting(settings, "caCertificate")} instead of ${nameOfSetting(settings, "insecureSkipVerify")}.`,
      code: "NOT_VERIFIED",
    });
  } else {
    const authority = findSetting(sources, service, "caCertificate");
    const by = authority === undefined ? "" : ` (CA certificate from ${authority.source})`;
    const offered = clientCertificate === undefined ? "" : "; a client certificate was sent";
    report("ok", "tls", `the certificate is valid${by}${offered}`);
  }
}

/** As codes of TLS are called, by Node and by OpenSSL. */
const ofTls = /CERT|SSL|TLS|ALTNAME|SIGNATURE|ALERT|INVALID_CA|CRL_|INVALID_PURPOSE/;

/**
 * What an error means that a question has ended with.
 *
 * @throws the error itself when it is no failure of the service, its surroundings or the settings
 */
function explainError(error: unknown): Finding {
  if (!TriviumError.isInstance(error) || InputError.isInstance(error)) {
    throw error;
  }
  const { hint } = error;
  const advice = hint === undefined ? {} : { advice: hint };
  const message = hint === undefined ? error.message : error.message.replace(hint, "").trim();
  if (ConnectionError.isInstance(error)) {
    const { code, problem } = error;
    const check = ofTls.test(code) || /\bTLS\b/.test(problem) ? "tls" : "address";
    return { check, state: "problem", message: problem, ...advice, code };
  }
  const problem = { check: "address", state: "problem", ...advice } as const;
  if (TimeoutError.isInstance(error)) {
    const { phase, timeoutMilliseconds } = error;
    const what = phase === "connect" ? "no connection" : "no response";
    return { ...problem, message: `${what} within ${timeoutMilliseconds / 1000} s`, code: "TIMEOUT" };
  }
  if (ServiceError.isInstance(error)) {
    const { status, words } = error;
    const saying = words.length === 0 ? "" : `: ${words.join("; ")}`;
    return { ...problem, message: `returned ${status}${saying}`, code: `HTTP_${status}` };
  }
  if (ContractError.isInstance(error)) {
    return { ...problem, message, code: "NOT_THE_SERVICE" };
  }
  return ConfigurationError.isInstance(error)
    ? { ...problem, check: "settings", message, code: "UNUSABLE_SETTINGS" }
    : { ...problem, message };
}
