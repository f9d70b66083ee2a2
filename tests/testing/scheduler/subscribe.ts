import type { Emulator } from "../../../sdk/testing";

/** A request for the event stream that was answered. */
export interface Subscribed {
  readonly status: number;
  /** Settles when the stream ends, however it ends. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Asks for the event stream with a token. */
export async function subscribe(
  { scheduler }: Emulator,
  token: string,
  ...topics: readonly string[]
): Promise<Subscribed> {
  const controller = new AbortController();
  const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
  const response = await fetch(`${scheduler.address}/v1/event/stream?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  const ended = response.text().then(
    () => undefined,
    () => undefined,
  );
  return { status: response.status, ended, close: () => controller.abort() };
}

/** The status of the answer alone. */
export async function mayRead(
  emulator: Emulator,
  token: string,
  ...topics: readonly string[]
): Promise<number> {
  const subscribed = await subscribe(emulator, token, ...topics);
  subscribed.close();
  return subscribed.status;
}
