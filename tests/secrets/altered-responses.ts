import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import type { Emulator } from "../../sdk/testing";
import { type Received, startServer } from "../http/server";

/** A response whose body, where it has one, is the secrets service's envelope. */
export interface AlterableResponse {
  readonly status: number;
  readonly body: { readonly data: Readonly<Record<string, unknown>> | null } | undefined;
}

type Altered = AlterableResponse | undefined;

/** What becomes of a response, and maybe what happens before it arrives; `undefined` cuts the connection. */
export type Alteration = (request: Received, response: AlterableResponse) => Altered | Promise<Altered>;

/**
 * Starts a service that does what the emulator does, but answers otherwise where documents and real servers leave
 * room for it. Ended by `stopServers`.
 *
 * @returns stack configuration that leads there
 */
export async function serviceWith(emulator: Emulator, alter: Alteration): Promise<Record<string, string>> {
  const forward = async (response: ServerResponse, request: Received): Promise<void> => {
    const { method, url, headers, body } = request;
    const token = Object.entries(headers).filter(([name]) => name.endsWith("-token"));
    const upstream = await fetch(emulator.secrets.address + url, {
      method,
      headers: { ...(Object.fromEntries(token) as object), "content-type": "application/json" },
      ...(body === "" ? {} : { body }),
    });
    const text = await upstream.text();
    const answer = text === "" ? undefined : (JSON.parse(text) as AlterableResponse["body"]);
    const { status, body: altered } =
      (await alter(request, { status: upstream.status, body: answer })) ?? assert.fail();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(altered && JSON.stringify(altered));
  };
  const { address } = await startServer((response, request) => {
    forward(response, request).catch(() => response.destroy());
  });
  return { "trivium:secretsAddress": address };
}

/** Reads with other data. */
export function reading(
  alter: (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): Alteration {
  return ({ method, url }, { status, body }) => ({
    status,
    body: method === "GET" && !url.endsWith("?list=true") && body?.data ? { data: alter(body.data) } : body,
  });
}

/** Lists of ids and nothing else, as documented: real servers describe each object too. */
export const idsOnly: Alteration = ({ url }, { status, body }) =>
  url.endsWith("?list=true") && body?.data
    ? { status, body: { data: { keys: body.data.keys } } }
    : { status, body };
