import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { StringDecoder } from "node:string_decoder";
import { codeOf, messageOf } from "../../base/errors";
import { timerMilliseconds } from "../../base/timing";
import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../tokens";
import type {
  DeliveryResponse,
  NotificationConfigurationRecord,
  NotificationDelivery,
  RunDescription,
  WorkspaceRecord,
} from "./types";

export interface ReceiverOptions {
  /** Milliseconds of real time. */
  readonly timeout: number;
  /** PEM; `undefined` for the authorities that Node trusts. */
  readonly certificateAuthority: string | undefined;
}

export interface Verification {
  /** Of any status; absent if no request was needed or there was no response. */
  readonly response?: DeliveryResponse;
  /** Why the configuration cannot be enabled. */
  readonly failure?: string;
}

/** Header names are in lower case, and `body` is only the beginning. */
type Receipt = Pick<DeliveryResponse, "headers" | "body"> & { readonly status: number };

type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType" | "url" | "token">;

const longestBody = 4 * 1024;

const reasons: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was closed before a response"],
  ["ENOTFOUND", "the host name is unknown"],
  ["EAI_AGAIN", "the host name is unknown"],
]);

/** Reports failures as results; nothing here throws. */
export class Notifier {
  constructor(
    private readonly receivers: ReceiverOptions,
    private readonly clock: EmulatorClock,
    private readonly ended: AbortSignal,
    private readonly isHashicorp: boolean,
  ) {}

  /** Succeeds without a request for email and for a configuration without a URL. */
  async verify(target: Target): Promise<Verification> {
    const { url } = target;
    if (target.destinationType === "email" || url === null) {
      return {};
    }
    const now = new Date(this.clock.now()).toISOString().replace(/\..*$/, "");
    const sentAt = this.isHashicorp ? `${now}+00:00` : `${now.replace("T", " ")} UTC`;
    const receipt = await this.post(target, url, verificationBody(target));
    if (typeof receipt === "string") {
      return { failure: receipt };
    }
    const { status, headers, body } = receipt;
    const successful = status >= 200 && status < 300;
    const response = { url, body, code: String(status), headers, sentAt, successful: String(successful) };
    return { response, ...(successful ? {} : { failure: `HTTP ${status}` }) };
  }

  async deliver(target: Target, url: string, body: unknown): Promise<NotificationDelivery> {
    const receipt = await this.post(target, url, body);
    const failed = typeof receipt === "string";
    return {
      notificationConfigurationId: target.id,
      status: failed ? null : receipt.status,
      failure: failed ? receipt : null,
    };
  }

  /** Does not follow redirects. @returns the response, or the reason why there is none */
  private async post(
    { destinationType, token }: Target,
    url: string,
    content: unknown,
  ): Promise<Receipt | string> {
    const { timeout } = this.receivers;
    const body = JSON.stringify(content);
    const signatureHeader = this.isHashicorp
      ? "X-TFE-Notification-Signature"
      : "X-Svc-Notification-Signature";
    const headers: Record<string, string> =
      destinationType === "generic" && token !== null
        ? { [signatureHeader]: createHmac("sha512", token).update(body).digest("hex") }
        : {};
    const expiry = AbortSignal.timeout(timerMilliseconds(timeout / 1_000));
    try {
      return await this.exchange(url, body, headers, AbortSignal.any([this.ended, expiry]));
    } catch (error) {
      if (this.ended.aborted) {
        return reasonOf(this.ended.reason);
      }
      return expiry.aborted ? `no response within ${timeout / 1_000} s` : reasonOf(error);
    }
  }

  private async exchange(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Receipt> {
    const { certificateAuthority } = this.receivers;
    const target = new URL(url);
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const request = send(target, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "pulumi-trivium-emulator",
        ...headers,
      },
      agent: false,
      signal,
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    });
    // Once a response has begun, errors surface when it is read.
    request.on("error", () => undefined);
    request.on("socket", (socket) => socket.unref());
    const responded = once(request, "response") as Promise<[IncomingMessage]>;
    request.end(body);
    const [response] = await responded;
    const received = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values]);
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(received) as Receipt["headers"],
      body: await readBeginning(response),
    };
  }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= longestBody) {
      break;
    }
  }
  // The decoder drops an incomplete character at the end.
  return new StringDecoder("utf8").write(Buffer.concat(chunks).subarray(0, longestBody));
}

function reasonOf(error: unknown): string {
  return reasons.get(codeOf(error)) ?? messageOf(error);
}

function verificationBody({ id, name, destinationType }: Target): unknown {
  const message = `Verification of ${name}`;
  return destinationType === "generic"
    ? runBody(id, {}, { message, trigger: "verification" })
    : chatBody(message);
}

/** Unknown members are null. */
function runBody(configurationId: string, run: object, notification: object): unknown {
  return {
    payload_version: 1,
    notification_configuration_id: configurationId,
    run_url: null,
    run_id: null,
    run_message: null,
    run_created_at: null,
    run_created_by: null,
    workspace_id: null,
    workspace_name: null,
    organization_name: null,
    ...run,
    notifications: [{ run_status: null, run_updated_at: null, run_updated_by: null, ...notification }],
  };
}

/** @param now ISO 8601 */
export function notificationBodies(
  workspace: WorkspaceRecord,
  trigger: string,
  { details, ...run }: RunDescription & { readonly details?: object },
  now: string,
  isHashicorp: boolean,
): (target: Target) => unknown {
  const title = trigger.replaceAll(/[:_]/g, " ");
  const message = run.message ?? title.charAt(0).toUpperCase() + title.slice(1);
  const place = [workspace.organization, workspace.name].map(encodeURIComponent).join("/workspaces/");
  const page = `https://provisioning.example/app/${place}`;
  const names = {
    workspace_id: workspace.id,
    workspace_name: workspace.name,
    organization_name: workspace.organization,
  };
  const runId = run.runId ?? newIdentifier("run-");
  const runMembers = {
    run_url: run.runUrl ?? `${page}/runs/${runId}`,
    run_id: runId,
    run_message: run.runMessage ?? "Queued in the emulator",
    run_created_at: run.runCreatedAt ?? now,
    run_created_by: run.runCreatedBy ?? "emulator",
    ...names,
  };
  const notification = {
    message,
    trigger,
    run_status: run.runStatus ?? (trigger === "run:created" ? "pending" : trigger.slice("run:".length)),
    run_updated_at: run.runUpdatedAt ?? now,
    run_updated_by: run.runUpdatedBy ?? "emulator",
  };
  // A notification of results has another name than the configured trigger.
  const sentTrigger = trigger.replace(/_run_results$/, "_results");
  return ({ id, destinationType }) => {
    if (destinationType !== "generic") {
      return chatBody(`${message}: ${workspace.organization}/${workspace.name}`);
    }
    if (trigger.startsWith("run:")) {
      return runBody(id, runMembers, notification);
    }
    // The documents only say that this body differs from that of a run.
    return {
      payload_version: isHashicorp ? "2" : 1,
      notification_configuration_id: id,
      notification_configuration_url: `${page}/settings/notifications/${id}`,
      trigger_scope: sentTrigger.split(":", 1)[0],
      trigger: sentTrigger,
      message,
      details: { ...(isHashicorp ? detailsOf(sentTrigger, now) : {}), ...names, ...details },
    };
  };
}

function detailsOf(trigger: string, now: string): object {
  if (trigger.startsWith("workspace:")) {
    const hasRun = trigger.endsWith("_results");
    return {
      auto_destroy_at: hasRun ? null : now,
      run_created_at: hasRun ? now : null,
      run_status: hasRun ? "applied" : null,
      run_external_id: hasRun ? newIdentifier("run-") : null,
      run_create_error_message: null,
      trigger_type: null,
    };
  }
  const id = newIdentifier("asmtres-");
  const drifted = Number(trigger === "assessment:drifted");
  const failed = Number(trigger === "assessment:check_failure");
  const result = {
    id,
    url: `/api/v2/assessment-results/${id}`,
    succeeded: trigger !== "assessment:failed",
    drifted: drifted > 0,
    all_checks_succeeded: failed === 0,
    resources_drifted: drifted,
    resources_undrifted: 1,
    checks_passed: 1,
    checks_failed: failed,
    checks_errored: 0,
    checks_unknown: 0,
    created_at: now,
  };
  return { new_assessment_result: result, prior_assessment_result: null };
}

/** The documentation leaves chat messages to the chat services, both of which accept a text. */
function chatBody(text: string): unknown {
  return { text };
}
