import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { repository, temporaryDirectory } from "../../support/packed-library";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The documentation as a site, built and served. */
export interface Site {
  /** `http://127.0.0.1:...`, without a slash at its end. */
  readonly origin: string;
  close(): void;
}

/** Builds the site from what is in `docs`, and serves it as any file server would. */
export async function serveSite(): Promise<Site> {
  const directory = temporaryDirectory("site");
  const program = join(repository, "node_modules", "vitepress", "bin", "vitepress.js");
  execFileSync(process.execPath, [program, "build", "docs", "--outDir", directory], {
    cwd: repository,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const path = normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    try {
      const content = readFileSync(join(directory, path));
      response.writeHead(200, { "content-type": mediaTypes[extname(path)] ?? "application/octet-stream" });
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
