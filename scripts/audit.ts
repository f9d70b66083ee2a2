import { readFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { z } from "zod";

/** An advisory that is known and does not matter here, and why. */
export interface Accepted {
  /** The end of its address: `GHSA-xxxx-xxxx-xxxx`. */
  readonly advisory: string;
  readonly package: string;
  /** Whether it is accepted for what users install too, or only for what this repository develops with. */
  readonly scope: "production" | "development";
  readonly reason: string;
}

/** An advisory that `npm audit` has found. */
export interface Advisory {
  readonly advisory: string;
  readonly package: string;
  readonly title: string;
  readonly severity: string;
}

const acceptedShape = z.array(
  z.strictObject({
    advisory: z.string().regex(/^GHSA-/),
    package: z.string().min(1),
    scope: z.enum(["production", "development"]),
    reason: z.string().min(20),
  }),
);

const reportShape = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      via: z.array(
        z.union([
          z.string(),
          z.object({ name: z.string(), url: z.string(), title: z.string(), severity: z.string() }),
        ]),
      ),
    }),
  ),
});

const refusalShape = z.object({ message: z.string(), statusCode: z.number().optional() });

/** The statuses with which a registry says that it has no audits. */
const notOffered: readonly number[] = [404, 405, 501];

/** What an audit has come to. */
export type Audit =
  | { readonly kind: "found"; readonly advisories: readonly Advisory[] }
  | { readonly kind: "not offered"; readonly reason: string }
  | { readonly kind: "failed"; readonly reason: string };

/** Reads what `npm audit --json` has printed. */
export function readAudit(output: string): Audit {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return { kind: "failed", reason: "npm audit printed no JSON" };
  }
  const report = reportShape.safeParse(value);
  if (report.success) {
    const found = Object.values(report.data.vulnerabilities).flatMap(({ via }) =>
      via.flatMap((cause) =>
        typeof cause === "string"
          ? []
          : [{ ...cause, package: cause.name, advisory: cause.url.split("/").at(-1) ?? cause.url }],
      ),
    );
    return { kind: "found", advisories: [...new Map(found.map((each) => [each.advisory, each])).values()] };
  }
  const refusal = refusalShape.safeParse(value);
  if (!refusal.success) {
    return { kind: "failed", reason: "npm audit printed neither a report nor an error" };
  }
  const { message, statusCode } = refusal.data;
  return {
    kind: statusCode !== undefined && notOffered.includes(statusCode) ? "not offered" : "failed",
    reason: message,
  };
}

/** The advisories that nobody has accepted. What is accepted for development only is none for what users install. */
export function unaccepted(
  advisories: readonly Advisory[],
  accepted: readonly Accepted[],
  scope: Accepted["scope"],
): readonly Advisory[] {
  return advisories.filter(
    ({ advisory }) =>
      !accepted.some(
        (each) => each.advisory === advisory && (scope === "development" || each.scope === scope),
      ),
  );
}

/** Reads the written list. */
export function readAccepted(file: string): readonly Accepted[] {
  return acceptedShape.parse(JSON.parse(readFileSync(file, "utf8")));
}

/** As programs say that it could not be done, and may be another time. */
const notPossible = 75;

function main(): number {
  const root = join(__dirname, "..");
  const accepted = readAccepted(join(root, "contributing", "audit-accepted.json"));
  let status = 0;
  for (const [scope, title, options] of [
    ["production", "what users install", ["--omit=dev", "--workspace", "pulumi-trivium"]],
    ["development", "everything", []],
  ] as const) {
    const { stdout } = spawnSync("npm", ["audit", "--json", ...options], { cwd: root, encoding: "utf8" });
    const audit = readAudit(stdout);
    if (audit.kind !== "found") {
      console.log(
        `NOT AUDITED: ${title}. ` +
          (audit.kind === "not offered" ? "The registry has no audit endpoint: " : "npm audit failed: ") +
          audit.reason,
      );
      status = status === 1 || audit.kind === "failed" ? 1 : notPossible;
      continue;
    }
    const open = unaccepted(audit.advisories, accepted, scope);
    for (const { advisory, package: name, severity, title: what } of open) {
      console.log(`${severity}: ${name}: ${what} (${advisory})`);
    }
    const known = audit.advisories.length - open.length;
    console.log(
      `Audited ${title}: ${open.length} to look at, ${known} accepted in contributing/audit-accepted.json.`,
    );
    status = open.length > 0 ? 1 : status;
  }
  return status;
}

if (require.main === module) {
  process.exitCode = main();
}
