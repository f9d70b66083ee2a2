import { readdirSync } from "node:fs";
import { join } from "node:path";
import { directoriesOnPath, isExecutable } from "../../../scripts/programs";
import { installPackage } from "../../support/apt";

const needed = ["initdb", "pg_ctl", "postgres", "psql"] as const;
/** Debian keeps the programs of the server, a directory a version, where PATH does not look. */
const versions = "/usr/lib/postgresql";

/** Why PostgreSQL can neither be found nor installed here; `undefined` where it can. */
export function reasonAgainstPostgres(): string | undefined {
  if (installed() !== undefined) {
    return undefined;
  }
  const advice = "install Debian's package postgresql, or put initdb and pg_ctl on PATH";
  if (process.getuid?.() !== 0) {
    return `there is no PostgreSQL server, and only root can install one: ${advice}`;
  }
  return directoriesOnPath(process.env).some((directory) => isExecutable(join(directory, "apt-get")))
    ? undefined
    : `there is no PostgreSQL server, and no apt-get to install one: ${advice}`;
}

/**
 * The directory of the server's programs: on PATH, else Debian's, which is installed when it is missing.
 *
 * @throws Error that says what to do when there is none
 */
export function postgresPrograms(): string {
  const reason = reasonAgainstPostgres();
  if (reason !== undefined) {
    throw new Error(reason);
  }
  return installed() ?? install();
}

function installed(): string | undefined {
  return [...directoriesOnPath(process.env), ...debian()].find((directory) =>
    needed.every((name) => isExecutable(join(directory, name))),
  );
}

/** The newest version first. */
function debian(): readonly string[] {
  try {
    return readdirSync(versions)
      .toSorted((one, other) => Number(other) - Number(one))
      .map((version) => join(versions, version, "bin"));
  } catch {
    return [];
  }
}

function install(): string {
  const failed = "PostgreSQL is not installed, and apt-get could not do it";
  try {
    installPackage("postgresql");
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    throw new Error(`${failed}:\n${stderr}`, { cause: error });
  }
  const found = installed();
  if (found === undefined) {
    throw new Error(`${failed}: its package has no ${needed.join(", ")} below ${versions}.`);
  }
  return found;
}
