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

/** Whether {@link fillDisk} can be used: elsewhere a process's limits can only be set by itself. */
export const canFillDisk = process.platform === "linux";

/**
 * Lets a process write no further in any file, as on a file system that is full: a write that crosses the limit is cut
 * there, and the next one fails.
 *
 * @param bytes the length of the longest file. Default: nothing can be written
 */
export function fillDisk(processId: number | undefined, bytes = 0): void {
  execFileSync("prlimit", ["--pid", String(processId), `--fsize=${bytes}:`]);
}

/** Makes room again. */
export function emptyDisk(processId: number | undefined): void {
  execFileSync("prlimit", ["--pid", String(processId), "--fsize=1000000000:"]);
}
