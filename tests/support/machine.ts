import { execFileSync } from "node:child_process";

export function installPackage(...names: readonly string[]): void {
  for (const parameters of [["update"], ["install", "-y", "--no-install-recommends", ...names]]) {
    execFileSync("apt-get", ["-qq", ...parameters], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
  }
}

/** On other systems a process can only set its own limits. */
export const canFillDisk = process.platform === "linux";

/** Limits the size of files: as on a full file system, a write is cut at the limit and the next one fails. */
export function fillDisk(processId: number | undefined, bytes = 0): void {
  execFileSync("prlimit", ["--pid", String(processId), `--fsize=${bytes}:`]);
}

export function emptyDisk(processId: number | undefined): void {
  execFileSync("prlimit", ["--pid", String(processId), "--fsize=1000000000:"]);
}
