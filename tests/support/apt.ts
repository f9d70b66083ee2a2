import { execFileSync } from "node:child_process";

/**
 * Installs packages of Debian.
 *
 * @throws Error with what apt-get says in `stderr`
 */
export function installPackage(...names: readonly string[]): void {
  for (const parameters of [["update"], ["install", "-y", "--no-install-recommends", ...names]]) {
    execFileSync("apt-get", ["-qq", ...parameters], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
  }
}
