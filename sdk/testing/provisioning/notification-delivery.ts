import { createHmac } from "node:crypto";
import type { EmulatorClock } from "../clock";
import type { ProvisioningDialect } from "./dialect";
import { verificationBody } from "./notification-body";
import { NoReceipt, type Receipt, type Receivers } from "./receivers";
import type { DeliveryResponse, NotificationConfigurationRecord } from "./records";

/** What became of one notification. */
export interface NotificationDelivery {
  readonly notificationConfigurationId: string;
  /** The status that the receiver returned; null when there was no response. */
  readonly status: number | null;
  /** Why there was no response; null when there was one. */
  readonly failure: string | null;
}

/** How a verification went. */
export interface Verification {
  /** The response, of whichever status, when one was needed and came. */
  readonly response?: DeliveryResponse;
  /** Why the configuration cannot be enabled. */
  readonly failure?: string;
}

type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType" | "url" | "token">;

/** Sends verification requests and notifications. Nothing here throws. */
export class Deliveries {
  constructor(
    private readonly receivers: Receivers,
    private readonly clock: EmulatorClock,
    private readonly dialect: ProvisioningDialect,
  ) {}

  /** Asks the receiver, if it is one that can be asked. */
  async verify(target: Target): Promise<Verification> {
    const { url } = target;
    if (target.destinationType === "email" || url === null) {
      return {};
    }
    const sentAt = this.dialect.sentAt(new Date(this.clock.now()));
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
    const outcome =
      typeof receipt === "string"
        ? { status: null, failure: receipt }
        : { status: receipt.status, failure: null };
    return { notificationConfigurationId: target.id, ...outcome };
  }

  /** Gives up all that is under way. */
  abandon(): void {
    this.receivers.abandon();
  }

  /** @returns the response, or why there is none */
  private async post(
    { destinationType, token }: Target,
    url: string,
    content: unknown,
  ): Promise<Receipt | string> {
    const body = JSON.stringify(content);
    const headers: Record<string, string> =
      destinationType === "generic" && token !== null
        ? { [this.dialect.signatureHeader]: createHmac("sha512", token).update(body).digest("hex") }
        : {};
    try {
      return await this.receivers.post(url, body, headers);
    } catch (error) {
      if (error instanceof NoReceipt) {
        return error.message;
      }
      throw error;
    }
  }
}
