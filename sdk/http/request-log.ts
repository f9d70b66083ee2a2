import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync, writeSync } from "node:fs";
import { messageOf } from "../base/errors";
import type { ServiceName } from "../base/settings";
import { showable, showableJson } from "../base/shown-text";

/** The resource or program that requests are made for. */
export interface Requester {
  readonly urn?: string | undefined;
  /** Shows a line with `--debug`. */
  readonly debug: (message: string) => void;
  readonly warn: (message: string) => void;
}

/** One attempt, without the body, headers, query values or secrets. */
export interface RequestRecord {
  readonly service: ServiceName;
  readonly method: string;
  readonly path: string;
  /** `undefined` if there was no response. */
  readonly status: number | undefined;
  readonly milliseconds: number;
  readonly attempt: number;
  readonly requestId: string | undefined;
}

const requesters = new AsyncLocalStorage<Requester>();

/**
 * Attributes the requests of the rest of this call to it. Shared work belongs to the caller that began it.
 */
export function requestFor(requester: Requester): void {
  requesters.enterWith(requester);
}

export function currentRequester(): Requester | undefined {
  return requesters.getStore();
}

let hasFailed = false;

/** @param environment `TRIVIUM_LOG` names a file, or `-` for standard error */
export function logRequest(record: RequestRecord, environment = process.env): void {
  const requester = requesters.getStore();
  const { method, status, milliseconds, attempt, requestId } = record;
  const path = showable(record.path);
  const id = requestId === undefined ? "" : `, request ID ${showable(requestId)}`;
  requester?.debug(
    `${method} ${path}: ${status ?? "no response"}, ${milliseconds} ms, attempt ${attempt}${id}`,
  );
  const target = environment.TRIVIUM_LOG ?? "";
  if (target === "") {
    return;
  }
  const time = new Date().toISOString();
  const urn = requester?.urn;
  const line = `${showableJson({ time, ...record, urn })}\n`;
  try {
    if (target === "-") {
      writeSync(process.stderr.fd, line);
    } else {
      appendFileSync(target, line, { mode: 0o600 });
    }
  } catch (error) {
    // A line that cannot be written is lost, but the operation continues.
    if (!hasFailed) {
      hasFailed = true;
      requester?.warn(`TRIVIUM_LOG cannot be written: ${messageOf(error)}`);
    }
  }
}
