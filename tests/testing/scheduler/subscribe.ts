import type { Emulator } from "../../../sdk/testing";

/** Asks for the event stream with a token. `ended` settles when the stream ends, however it ends. */
export async function subscribe({ scheduler }: Emulator, token: string, ...topics: readonly string[]) {
  const controller = new AbortController();
  const query = new URLSearchParams(topics.map((topic): [string, string] => ["topic", topic]));
  const response = await fetch(`${scheduler.address}/v1/event/stream?${query.toString()}`, {
    headers: { Authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  const ended = response.text().catch(() => undefined);
  return { status: response.status, ended, close: () => controller.abort() };
}

/** The status of the response alone. */
export async function mayRead(...parameters: Parameters<typeof subscribe>): Promise<number> {
  const subscribed = await subscribe(...parameters);
  subscribed.close();
  return subscribed.status;
}
