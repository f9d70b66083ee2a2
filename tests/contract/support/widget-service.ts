import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Attributes = Record<string, unknown>;

/** A small real service for widgets. It answers sets sorted, durations in seconds, keys trimmed, no passwords. */
export interface WidgetService {
  readonly address: string;
  readonly widgets: Map<string, Attributes>;
  readonly requests: string[];
  readonly close: () => Promise<void>;
}

const defaults: Attributes = { label: "unnamed", tags: [], period: 60, key: null, password: null };

/** Starts the service on loopback. */
export async function startWidgetService(): Promise<WidgetService> {
  const widgets = new Map<string, Attributes>();
  const requests: string[] = [];
  let made = 0;

  const respond = async (request: IncomingMessage): Promise<[number, unknown?]> => {
    const { method = "", url = "" } = request;
    requests.push(`${method} ${url}`);
    const [, id] = /^\/api\/v2\/widgets(?:\/([^?]+))?/.exec(url) ?? [];
    const attributes = await attributesOf(request);
    if (method === "POST") {
      made += 1;
      const created = `wdg-${made}`;
      widgets.set(created, apply({ ...defaults, made: String(made) }, attributes));
      return [201, { data: document(created, widgets) }];
    }
    if (id === undefined) {
      return [200, { data: [...widgets.keys()].map((each) => document(each, widgets)) }];
    }
    const widget = widgets.get(id);
    if (widget === undefined) {
      return [404, { errors: [{ status: "404", title: "not found" }] }];
    }
    if (method === "DELETE") {
      widgets.delete(id);
      return [204];
    }
    if (method === "PATCH") {
      widgets.set(id, apply(widget, attributes));
    }
    return [200, { data: document(id, widgets) }];
  };

  const server = createServer((request, response) => {
    void respond(request).then(([status, body]) => {
      response.writeHead(status, { "content-type": "application/vnd.api+json" });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    widgets,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function attributesOf(request: IncomingMessage): Promise<Attributes> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
  }
  return text === "" ? {} : (JSON.parse(text) as { data: { attributes: Attributes } }).data.attributes;
}

/** Null brings a field back to its default. */
function apply(widget: Attributes, changes: Attributes): Attributes {
  const applied = Object.entries(changes).map(
    ([name, value]) => [name, value ?? defaults[name] ?? null] as const,
  );
  return { ...widget, ...Object.fromEntries(applied) };
}

function document(id: string, widgets: ReadonlyMap<string, Attributes>): unknown {
  const { password, tags, key, ...rest } = widgets.get(id) ?? {};
  return {
    id,
    type: "widgets",
    attributes: {
      ...rest,
      tags: [...new Set(tags as string[])].sort(),
      key: typeof key === "string" ? key.replaceAll("\r\n", "\n").trim() : key,
    },
  };
}
