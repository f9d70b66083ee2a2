import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { type Dialect, type ResourceCase } from "./support/case";

const load = createRequire(__filename);

/** `place` is the path of the class in the library, such as `secrets/mfa/totp-method`. */
interface PlacedCase {
  readonly place: string;
  readonly resourceCase: ResourceCase;
}

function casesBelow(service: string): readonly PlacedCase[] {
  return readdirSync(join(__dirname, service), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => {
      const place = `${service}/${name.slice(0, -".ts".length).replaceAll(sep, "/")}`;
      const exported = Object.values(load(`./${place}`) as object);
      const [resourceCase, ...more] = exported.filter(isCase);
      assert.ok(resourceCase !== undefined && more.length === 0, `${place} has to export one case`);
      return { place, resourceCase };
    });
}

function isCase(exported: unknown): exported is ResourceCase {
  return typeof exported === "object" && exported !== null && "type" in exported && "valid" in exported;
}

export const placedCases: readonly PlacedCase[] = ["provisioning", "scheduler", "secrets"].flatMap(
  casesBelow,
);

/** By type in state, such as `provisioning:Project`. */
export const resourceCases: ReadonlyMap<string, ResourceCase> = new Map(
  placedCases.map(({ resourceCase }) => [resourceCase.type, resourceCase]),
);

/** Of the classes that the dialect has. */
export function casesIn(dialect: Dialect): ReadonlyMap<string, ResourceCase> {
  return new Map([...resourceCases].filter(([, each]) => each.dialects.includes(dialect)));
}
