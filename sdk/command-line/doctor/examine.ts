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
import {
  configurationKey,
  nameOfSetting,
  overrideVariable,
  type ServiceName,
  variablesOf,
} from "../../base/settings";
import {
  codeOf,
  describeResponse,
  type Finding,
  listed,
  type Lookup,
  type Probe,
  type Product,
  ProbeClient,
} from "../../connection/probe";
import { resolveSettings } from "../../connection/resolve";
import { findDialect, findSetting, findToken, type Sources } from "../../connection/sources";
import type { HttpResponse } from "../../http/transport";
import { missingSettings, type SettingInUse, settingsInUse } from "./settings";

export interface ServiceReport {
  readonly service: ServiceName;
  /** Whether an address or a token is set. */
  readonly configured: boolean;
  readonly address?: string | undefined;
  readonly dialect: string | undefined;
  readonly settings: readonly SettingInUse[];
  readonly product?: Product | undefined;
  readonly findings: Finding[];
}

export interface ProbeContext {
  readonly sources: Sources;
  /** By option name. */
  readonly interests: Readonly<Record<string, readonly string[] | undefined>>;
  readonly signal: AbortSignal;
  /** Whether the user named the service, so that it must be configured. */
  readonly required: boolean;
}

/** Reports problems as findings. @throws CancelledError */
export async function examineService(probe: Probe, circumstances: ProbeContext): Promise<ServiceReport> {
  const { sources, required } = circumstances;
  const { name } = probe.service;
  const { configured, missing } = missingSettings(sources, name, required);
  return {
    service: name,
    configured,
    ...(missing === undefined ? await examineConfigured(probe, circumstances) : { findings: [missing] }),
    dialect: configured ? findDialect(sources, name) : undefined,
    settings: settingsInUse(sources, name),
  };
}

async function examineConfigured(
  probe: Probe,
  circumstances: ProbeContext,
): Promise<Pick<ServiceReport, "address" | "product" | "findings">> {
  const { sources, signal } = circumstances;
  const { service } = probe;
  const findings: Finding[] = [];
  let address: string | undefined;
  let product: Product | undefined;
  try {
    const settings = resolveSettings(sources, service.name);
    address = settings.address;
    const questions = new ProbeClient(service, settings, signal);
    const first = await firstResponse(probe, questions);
    product = probe.recognize(first);
    if (product === undefined && !probe.isServiceResponse(first)) {
      findings.push(...(await explainStranger(probe, questions, circumstances, first)));
      return { address, product, findings };
    }
    findings.push({ check: "address", state: "ok", message: "reachable" }, encryption(questions, sources));
    const dialect = await explainDialect(probe, questions, product);
    findings.push(...dialect);
    if (dialect.some(({ state }) => state === "problem")) {
      return { address, product, findings };
    }
    const unusable = probe.unusable?.(first);
    if (product !== undefined && unusable === undefined) {
      product = { ...product, version: product.version ?? (await probe.versionOf?.(questions)) };
    }
    findings.push(productFinding(product));
    if (unusable !== undefined) {
      findings.push({ check: "product", state: "problem", ...unusable });
      return { address, product, findings };
    }
    const token = tokenFinding(
      questions,
      await probe.lookUp(questions),
      findToken(sources, service.name)?.source ?? "",
    );
    findings.push(token);
    if (token.state !== "problem") {
      findings.push(...(await examineNamed(probe, questions, circumstances)));
    }
  } catch (error) {
    if (CancelledError.isInstance(error)) {
      throw error;
    }
    findings.push(explainError(error));
  }
  return { address, product, findings };
}

function productFinding(product: Product | undefined): Finding {
  const named = [product?.name, product?.version].filter((part) => part !== undefined).join(" ");
  return named === ""
    ? {
        check: "product",
        state: "note",
        message: "unknown: the service does not name its product or version",
      }
    : { check: "product", state: "ok", message: named };
}

function tokenFinding({ settings }: ProbeClient, found: Lookup, source: string): Finding {
  if (!("refusal" in found)) {
    return { check: "token", ...found };
  }
  const variable = overrideVariable(settings.service);
  const override = settings.ownAddress || source.includes(variable) ? "" : ` ${variable} overrides it.`;
  return {
    check: "token",
    state: "problem",
    message: `the service rejects it: ${describeResponse(found.refusal)}`,
    advice: `${found.reason} The token comes from ${source}.${override}`,
    code: codeOf(found.refusal),
  };
}

async function examineNamed(
  probe: Probe,
  questions: ProbeClient,
  { interests }: ProbeContext,
): Promise<readonly Finding[]> {
  const objects = Object.entries(probe.named).flatMap(([option, describe]) =>
    (interests[option] ?? []).map((name) => describe(name, questions)),
  );
  return Promise.all(
    objects.map(async ({ name, requests, advice }): Promise<Finding> => {
      const about = { check: "rights", subject: name } as const;
      const responses = await Promise.all(requests.map(({ path, query }) => questions.get(path, query)));
      const refusal = responses.find(({ status }) => status !== 404) ?? responses[0];
      return responses.some((response) => probe.isAllowed(response)) || refusal === undefined
        ? { ...about, state: "ok", message: "the token may read it" }
        : { ...about, state: "problem", message: describeResponse(refusal), advice, code: codeOf(refusal) };
    }),
  );
}

/** The most informative of the probe's responses. */
async function firstResponse(probe: Probe, questions: ProbeClient): Promise<HttpResponse> {
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

/** Neither a product nor the service itself responded. */
async function explainStranger(
  probe: Probe,
  questions: ProbeClient,
  circumstances: ProbeContext,
  first: HttpResponse,
): Promise<readonly Finding[]> {
  const { status } = first;
  const { name } = probe.service;
  const finding = { check: "address", state: "problem", code: codeOf(first) } as const;
  const saying = describeResponse(first);
  if (status === 407 || status === 429 || status >= 500) {
    const advice =
      status === 407
        ? "The proxy requires authentication: add user:password to its URL."
        : "The service, or a proxy in front of it, is unavailable.";
    return [{ ...finding, message: saying, advice }];
  }
  if (status !== 404 && status !== 405) {
    const message = `the response does not come from the ${name} service`;
    const advice = `Check ${configurationKey(name, "address")}. The server ${saying}`;
    return [{ ...finding, message, advice, code: "NOT_THE_SERVICE" }];
  }
  // A compatible server may support the requests of resources, but not those of the probe.
  const named = await examineNamed(probe, questions, circumstances);
  const works = named.some(({ state }) => state === "ok");
  const options = Object.keys(probe.named).map((option) => `--${option}`);
  const advice = works
    ? "The checks you named succeeded."
    : `Check ${nameOfSetting(questions.settings, "address")}. A compatible server may not support them: name an object with ${listed(options, "or")}.`;
  const message = `could not verify that this is the ${name} service and that the token is valid: the server does not support the requests that doctor makes`;
  const state = works ? "warning" : "problem";
  return [
    ...named,
    { ...finding, state, message, advice: `The last request ${saying}. ${advice}`, code: "NOT_RECOGNIZED" },
  ];
}

async function explainDialect(
  probe: Probe,
  questions: ProbeClient,
  product: Product | undefined,
): Promise<readonly Finding[]> {
  if (questions.ofProduct === (product !== undefined)) {
    return [];
  }
  const { dialect, service } = questions.settings;
  const variables = variablesOf("documented", service, "dialect");
  const places = [configurationKey(service, "dialect"), ...variables].join(" or ");
  const wrong = (message: string, advice: string): readonly Finding[] => [
    {
      check: "dialect",
      state: "problem",
      code: "WRONG_DIALECT",
      message: `${dialect}, but ${message}`,
      advice,
    },
  ];
  if (product !== undefined) {
    return wrong(`this looks like ${product.name}`, `Set ${places} to hashicorp.`);
  }
  const documented = await probe.lookUp(questions.in("documented"));
  if (!("refusal" in documented) && documented.state === "ok") {
    const advice = `Set ${places} to documented, or remove the setting.`;
    return wrong("the service speaks the documented dialect", advice);
  }
  return [
    {
      check: "dialect",
      state: "warning",
      message: `${dialect}, but the service does not identify itself as a product of that dialect`,
      advice: `If the service speaks the documented dialect, set ${places} to documented.`,
      code: "UNKNOWN_PRODUCT",
    },
  ];
}

const thisMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

function encryption({ settings }: ProbeClient, sources: Sources): Finding {
  const { address, insecureSkipVerify, clientCertificate, service } = settings;
  const { protocol, hostname } = new URL(address);
  const check = "tls";
  if (protocol === "http:" && thisMachine.test(hostname)) {
    return { check, state: "note", message: "plain HTTP, on this machine" };
  }
  const warning = (code: string, message: string, advice: string): Finding => ({
    check,
    state: "warning",
    message,
    advice,
    code,
  });
  if (protocol === "http:") {
    const advice = `If the service supports HTTPS, start ${nameOfSetting(settings, "address")} with https://.`;
    return warning("PLAIN_HTTP", "plain HTTP: the token is sent unencrypted", advice);
  }
  if (insecureSkipVerify === true) {
    const advice = `Set ${nameOfSetting(settings, "caCertificate")} instead of ${nameOfSetting(settings, "insecureSkipVerify")}.`;
    const message = "certificates are not verified: another server could impersonate the service";
    return warning("NOT_VERIFIED", message, advice);
  }
  const authority = findSetting(sources, service, "caCertificate");
  const by = authority === undefined ? "" : ` (CA certificate from ${authority.source})`;
  const offered = clientCertificate === undefined ? "" : "; a client certificate was sent";
  return { check, state: "ok", message: `the certificate is valid${by}${offered}` };
}

/** TLS error codes of Node.js and OpenSSL. */
const ofTls = /CERT|SSL|TLS|ALTNAME|SIGNATURE|ALERT|INVALID_CA|CRL_|INVALID_PURPOSE/;

/** @throws the error itself unless it concerns the service, its network or the settings */
function explainError(error: unknown): Finding {
  if (!TriviumError.isInstance(error) || InputError.isInstance(error)) {
    throw error;
  }
  const { advice } = error;
  const given = advice === undefined ? {} : { advice };
  const message = advice === undefined ? error.message : error.message.replace(advice, "").trim();
  if (ConnectionError.isInstance(error)) {
    const { code, problem } = error;
    const check = ofTls.test(code) || /\bTLS\b/.test(problem) ? "tls" : "address";
    return { check, state: "problem", message: problem, ...given, code };
  }
  const isLogin = message.startsWith("Could not log in");
  const problem = { check: isLogin ? "token" : "address", state: "problem", ...given } as const;
  if (TimeoutError.isInstance(error)) {
    const { phase, timeoutMilliseconds } = error;
    const what = phase === "connect" ? "no connection" : "no response";
    return { ...problem, message: `${what} within ${timeoutMilliseconds / 1000} s`, code: "TIMEOUT" };
  }
  if (ServiceError.isInstance(error)) {
    const { status, messages } = error;
    const explanation = messages.length === 0 ? "" : `: ${messages.join("; ")}`;
    const subject = isLogin ? "the login " : "";
    return { ...problem, message: `${subject}returned ${status}${explanation}`, code: `HTTP_${status}` };
  }
  if (ContractError.isInstance(error)) {
    return { ...problem, message, code: "NOT_THE_SERVICE" };
  }
  return ConfigurationError.isInstance(error)
    ? { ...problem, check: "settings", message, code: "UNUSABLE_SETTINGS" }
    : { ...problem, message };
}
