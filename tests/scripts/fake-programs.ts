import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { executables } from "../../scripts/pulumi-cli/installation";

/** Writes an executable of the POSIX shell. It finds no other programs unless it names their whole path. */
export function writeProgram(directory: string, name: string, ...lines: string[]): void {
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, name);
  writeFileSync(file, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(file, 0o755);
}

/** Writes a complete installation of the CLI that can do nothing but tell its version. */
export function writeInstallation(directory: string, version: string): void {
  for (const name of Object.values(executables)) {
    writeProgram(directory, name, `echo ${version}`);
  }
}
