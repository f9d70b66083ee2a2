import { createHmac } from "node:crypto";
import type { EmulatorClock } from "../clock";
import type { ProvisioningDialect } from "./dialect";
import { verificationBody } from "./notification-body";
import type { DeliveryResponse, NotificationConfigurationRecord } from "./notification-configuration-record";
import { NoReceipt, type Receipt, type Receivers } from "./receivers";

/** What became of one notification. */
export interface NotificationDelivery {
  readonly notificationConfigurationId: string;
  /** What the receiver answered; null when there was no answer. */
  readonly status: number | null;
  /** Why there was no answer; null when there was one. */
  readonly failure: string | null;
}

/** How a verification went. */
export interface Verification {
  /** The answer, of whichever status, when one was needed and came. */
  readonly response: DeliveryResponse | undefined;
  /** Why the configuration cannot be enabled; `undefined` when it can. */
  readonly failure: string | undefined;
}

type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType" | "url" | "token">;

/** Nobody had to be asked. */
export const noVerification: Verification = { response: undefined, failure: undefined };

/** Asks the receiver, if it is one that can be asked. Never throws. */
export async function verify(
  target: Target,
  receivers: Receivers,
  clock: EmulatorClock,
  dialect: ProvisioningDialect,
): Promise<Verification> {
  const { url } = target;
  if (target.destinationType === "email" || url === null) {
    return noVerification;
  }
  const sentAt = new Date(clock.now());
  const receipt = await post(target, url, verificationBody(target), receivers, dialect);
  if (typeof receipt === "string") {
    return { response: undefined, failure: receipt };
  }
  const { status, headers, body } = receipt;
  const successful = status >= 200 && status < 300;
  return {
    response: {
      url,
      body,
      code: String(status),
      headers,
      sentAt: dialect.sentAt(sentAt),
      successful: String(successful),
    },
    failure: successful ? undefined : `HTTP ${status}`,
  };
}

/** Sends a notification. Never throws. */
export async function deliver(
  target: Target,
  url: string,
  body: unknown,
  receivers: Receivers,
  dialect: ProvisioningDialect,
): Promise<NotificationDelivery> {
  const receipt = await post(target, url, body, receivers, dialect);
  return {
    notificationConfigurationId: target.id,
    status: typeof receipt === "string" ? null : receipt.status,
    failure: typeof receipt === "string" ? receipt : null,
  };
}

/** @returns the answer, or why there is none */
async function post(
  { destinationType, token }: Target,
  url: string,
  content: unknown,
  receivers: Receivers,
  { signatureHeader }: ProvisioningDialect,
): Promise<Receipt | string> {
  const body = JSON.stringify(content);
  const headers: Record<string, string> =
    destinationType === "generic" && token !== null
      ? { [signatureHeader]: createHmac("sha512", token).update(body).digest("hex") }
      : {};
  try {
    return await receivers.post(url, body, headers);
  } catch (error) {
    if (error instanceof NoReceipt) {
      return error.message;
    }
    throw error;
  }
}
