import {
  CancelledError,
  ConnectionError,
  ContractError,
  ServiceError,
  TriviumError,
} from "../../base/errors";
import {
  configurationKey,
  type Dialect,
  nameOfSetting,
  overrideVariable,
  type ServiceName,
  variablesOf,
} from "../../base/settings";
import {
  type Check,
  type Finding,
  ofGateway,
  type Probe,
  type Product,
  ProbeClient,
  type ProbeResponse,
  type Verdict,
} from "../../connection/probe";
import {
  httpsAdvice,
  isThisMachine,
  type ResolvedSettings,
  resolveSettings,
  withoutEffect,
} from "../../connection/resolve";
import { settingsIn } from "../../connection/found";
import type { Sources } from "../../connection/sources";
import { type SettingInUse, settingsInUse } from "./settings";

/** Printed as JSON. */
export interface ServiceReport {
  readonly service: ServiceName;
  /** The name of the `trivium.Provider` whose settings these are. */
  readonly provider?: string;
  /** Whether an address or a token is set. */
  readonly configured: boolean;
  address: string | null;
  readonly dialect: Dialect | null;
  product: Product | null;
  readonly settings: readonly SettingInUse[];
  readonly findings: Finding[];
}

export interface ProbeContext {
  readonly sources: Sources;
  readonly signal: AbortSignal;
  /** Whether the user named the service, so that it must be configured. */
  readonly required: boolean;
  /** The name of the provider in state that the settings come from. */
  readonly provider?: string;
}

/** Reports problems as findings. @throws CancelledError */
export async function examineService(probe: Probe, context: ProbeContext): Promise<ServiceReport> {
  const { name: service } = probe.service;
  const { sources, provider } = context;
  const { values, credential, dialect } = settingsIn(sources, service);
  const configured = values.address !== undefined || credential !== undefined;
  const report: ServiceReport = {
    service,
    ...(provider === undefined ? {} : { provider }),
    configured,
    address: null,
    dialect: configured ? (dialect ?? null) : null,
    product: null,
    settings: settingsInUse(sources, service),
    findings: [],
  };
  try {
    await examine(probe, context, report);
  } catch (error) {
    const state = configured || context.required ? "problem" : "note";
    const finding = explainError(error);
    report.findings.push(configured ? finding : { ...finding, state, code: "NOT_CONFIGURED" });
  }
  return report;
}

/** Ends after a problem that prevents the following checks. */
async function examine(
  probe: Probe,
  { sources, signal }: ProbeContext,
  report: ServiceReport,
): Promise<void> {
  const find = (check: Check, verdict: Verdict) => report.findings.push({ check, ...verdict });
  const settings = resolveSettings(sources, report.service);
  report.address = settings.address;
  for (const message of withoutEffect(sources, settings)) {
    find("settings", { state: "warning", message, code: "NO_EFFECT" });
  }
  const client = new ProbeClient(probe.service, settings, signal);
  const { response, identity } = await recognize(probe, client);
  if (identity === undefined) {
    find("address", explainUnrecognized(client, response));
    return;
  }
  find("address", { state: "ok", message: "reachable" });
  find("tls", encryption(settings));
  const isKnown = client.ofProduct || identity.product !== undefined || identity.problem !== undefined;
  const documented = isKnown ? undefined : await probe.lookUp(client, undefined);
  const named = documented && (await attempt(probe, client, "naming").catch(unlessCancelled));
  const { product, problem, remark } = named?.identity?.product === undefined ? identity : named.identity;
  report.product = product ?? null;
  if (client.ofProduct !== (product !== undefined)) {
    find("dialect", explainDialect(settings, product));
    if (product !== undefined) {
      return;
    }
  }
  if (product === undefined) {
    const message = "unknown: the service does not report its product or version";
    find("product", { state: "note", message });
  } else {
    const later = problem === undefined ? await probe.versionOf?.(client) : undefined;
    const version = product.version ?? later ?? null;
    report.product = { ...product, version };
    const message = `${product.name} ${version ?? ""}`.trim();
    find("product", {
      state: "ok",
      ...remark,
      message: [message, ...(remark ? [remark.message] : [])].join(", "),
    });
  }
  if (problem !== undefined) {
    find("product", problem);
    return;
  }
  const token = documented ?? (await probe.lookUp(client, product));
  find("token", { ...token, advice: withSource(token, sources, report.service) });
}

/** Adds the source of a rejected token. */
function withSource({ code, advice }: Verdict, sources: Sources, service: ServiceName): string | undefined {
  const source = settingsIn(sources, service).credential?.source;
  if ((code !== "HTTP_401" && code !== "HTTP_403") || source === undefined) {
    return advice;
  }
  const variable = overrideVariable(service);
  const override = source.includes(variable) ? "" : ` To override it, set ${variable}.`;
  return `${advice ?? ""} The token comes from ${source}.${override}`.trim();
}

type Question = "naming" | "documented";

async function attempt(probe: Probe, client: ProbeClient, question: Question) {
  const { naming } = probe;
  const response =
    question === "naming"
      ? await client.anonymous(naming.headers).ask(naming)
      : await probe.documented(client.anonymous());
  return response && { response, identity: probe.identify(response) };
}

/** Undocumented requests come last, unless the service is a product: other services might reject them. */
async function recognize(probe: Probe, client: ProbeClient) {
  const questions: readonly [Question, Question] = client.ofProduct
    ? ["naming", "documented"]
    : ["documented", "naming"];
  let page: unknown;
  const found = await attempt(probe, client, questions[0]).catch((error: unknown) => {
    if (ContractError.isInstance(error) || (ServiceError.isInstance(error) && error.status >= 400)) {
      page = error;
      return undefined;
    }
    throw error;
  });
  const other = found?.identity === undefined ? await attempt(probe, client, questions[1]) : undefined;
  const best = other ?? found;
  if (best === undefined) {
    throw page;
  }
  return best;
}

function unlessCancelled(error: unknown): undefined {
  if (!TriviumError.isInstance(error) || CancelledError.isInstance(error)) {
    throw error;
  }
}

/** Neither a product nor the service itself responded. */
function explainUnrecognized({ settings }: ProbeClient, { status, description }: ProbeResponse): Verdict {
  const isUnknownRequest = status === 404 || status === 405;
  return {
    state: "problem",
    message: `the server does not identify itself as the ${settings.service} service: it ${description}`,
    advice: `Check ${nameOfSetting(settings, "address")}. ${ofGateway}`,
    code: isUnknownRequest ? "NOT_RECOGNIZED" : status < 500 ? "NOT_THE_SERVICE" : `HTTP_${status}`,
  };
}

function explainDialect({ service }: ResolvedSettings, product: Product | undefined): Verdict {
  const variables = variablesOf("documented", service, "dialect");
  const places = [configurationKey(service, "dialect"), ...variables].join(" or ");
  return product === undefined
    ? {
        state: "warning",
        message: "hashicorp, but the service does not identify itself as a product of that dialect",
        advice: `If the service speaks the documented dialect, set ${places} to documented.`,
        code: "UNKNOWN_PRODUCT",
      }
    : {
        state: "problem",
        message: `documented, but this looks like ${product.name}`,
        advice: `Set ${places} to hashicorp.`,
        code: "WRONG_DIALECT",
      };
}

function encryption(settings: ResolvedSettings): Verdict {
  const { protocol } = new URL(settings.address);
  if (protocol === "http:") {
    return isThisMachine(settings.address)
      ? { state: "note", message: "plain HTTP, on this machine" }
      : {
          state: "warning",
          message: "plain HTTP: the token is sent unencrypted",
          advice: httpsAdvice(settings),
          code: "PLAIN_HTTP",
        };
  }
  return settings.insecureSkipVerify === true
    ? {
        state: "warning",
        message: "certificates are not verified: another server could impersonate the service",
        advice: `Set ${nameOfSetting(settings, "caCertificate")} instead.`,
        code: "NOT_VERIFIED",
      }
    : { state: "ok", message: "the certificate is valid" };
}

/** TLS error codes of Node.js and OpenSSL. */
const ofTls = /CERT|SSL|TLS|ALTNAME|SIGNATURE|ALERT|INVALID_CA|CRL_|INVALID_PURPOSE/;

/** By error class. */
const codes: Readonly<Record<string, string>> = {
  ConfigurationError: "UNUSABLE_SETTINGS",
  ContractError: "NOT_THE_SERVICE",
  TimeoutError: "TIMEOUT",
};

/** @throws the error itself if the user canceled, or for a bug in this library */
function explainError(error: unknown): Finding {
  if (!TriviumError.isInstance(error) || CancelledError.isInstance(error)) {
    throw error;
  }
  const { advice, name } = error;
  const message = error.message.replace(advice ?? "", "").trim();
  const explained = { state: "problem", message, advice } as const;
  if (ConnectionError.isInstance(error)) {
    const { code, problem } = error;
    const check = ofTls.test(code) || /\bTLS\b/.test(problem) ? "tls" : "address";
    return { ...explained, check, message: problem, code };
  }
  const check = message.startsWith("Could not log in") ? "token" : "address";
  return {
    ...explained,
    check: name === "ConfigurationError" ? "settings" : check,
    code: ServiceError.isInstance(error) ? `HTTP_${error.status}` : codes[name],
  };
}
