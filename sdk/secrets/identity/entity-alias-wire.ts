import { path, type Path } from "../../base/path";
import { builtOnce } from "../../base/validation";
import type { Validation } from "../../base/validation";
import { isObject } from "../../base/json";
import { nameInAnswer } from "../../resource/schemas";
import { textIfGiven } from "../answer";
import type { SecretsClient } from "../client";

/** The path of all aliases' ids. */
export const aliasIds: Path = path`/identity/entity-alias/id`;

/** The path of one alias. */
export function aliasPath(id: string): Path {
  return path`/identity/entity-alias/id/${id}`;
}

/** An alias as the service answers it; real servers say null where there is no metadata. */
const aliasShape = builtOnce((z) => {
  const metadata = z
    .record(z.string(), z.string())
    .nullish()
    .transform((value) => (value === null ? {} : value));
  const text = textIfGiven(z);
  return z
    .object({
      name: z.string(),
      canonical_id: z.string(),
      mount_accessor: z.string(),
      custom_metadata: metadata,
      metadata,
      creation_time: text,
      last_update_time: text,
      local: z.boolean().nullish(),
      // An alias outlives its mount.
      mount_path: text,
      mount_type: text,
    })
    .transform((alias) => ({
      name: alias.name,
      canonicalId: alias.canonical_id,
      mountAccessor: alias.mount_accessor,
      customMetadata: alias.custom_metadata,
      metadata: alias.metadata,
      creationTime: alias.creation_time,
      lastUpdateTime: alias.last_update_time,
      local: alias.local ?? undefined,
      mountPath: alias.mount_path,
      mountType: alias.mount_type,
    }));
});

/** What an answer says of an alias. */
export type AliasState = ReturnType<ReturnType<typeof aliasShape>["parse"]>;

/** @returns `undefined` when there is no such alias */
export function readAlias(client: SecretsClient, id: string): Promise<AliasState | undefined> {
  return client.read({
    summary: `read the entity alias ${id}`,
    path: aliasPath(id),
    id,
    data: aliasShape,
  });
}

/** What makes an alias the same as another. */
export interface AliasKey {
  readonly name: string;
  readonly mountAccessor: string;
}

/** The aliases in the answer to a list of them. Real servers describe each; the documents promise ids only. */
export async function listAliases(client: SecretsClient): Promise<ReadonlyMap<string, AliasKey | undefined>> {
  const { names, data } = await client.listData({ summary: "list the entity aliases", path: aliasIds });
  const described = isObject(data) && isObject(data.key_info) ? data.key_info : {};
  return new Map(names.map((id) => [id, keyOf(described[id])]));
}

function keyOf(description: unknown): AliasKey | undefined {
  if (!isObject(description)) {
    return undefined;
  }
  const { name, mount_accessor: mountAccessor } = description;
  return typeof name === "string" && typeof mountAccessor === "string" ? { name, mountAccessor } : undefined;
}

/** Fields of a request; what the program never gave is not sent, so the service leaves it as it is. */
export function aliasBody(alias: {
  readonly name: string;
  readonly canonicalId: string;
  readonly mountAccessor: string;
  readonly customMetadata?: unknown;
}): Readonly<Record<string, unknown>> {
  const { name, canonicalId, mountAccessor, customMetadata } = alias;
  return {
    name,
    canonical_id: canonicalId,
    mount_accessor: mountAccessor,
    custom_metadata: customMetadata,
  };
}

/** What the service answers to a write, where it answers anything: nothing when nothing has changed. */
export function writtenAliasShape(z: Validation) {
  return z.object({ id: nameInAnswer(z).optional() });
}
