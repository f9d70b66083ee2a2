import { mountPath, path } from "../../base/path";
import { collectDefinitions } from "../../resource/registry";
import * as library from "../../index";
import type { AnyResourceDefinition, RemoteState } from "../../resource/definition";
import type { SecretsClient } from "../../secrets/client";
import { mountedId } from "../../secrets/mount";
import { accessDefinition } from "../../secrets/scheduler/access";
import { leaseDefinition } from "../../secrets/scheduler/lease";
import { roleDefinition } from "../../secrets/scheduler/role";

/** How the objects of one class are found. */
interface Source {
  readonly definition: AnyResourceDefinition;
  /** Finds the ids of those that there may be in a place: in an organization, a workspace, on a mount. */
  list(client: never, place: string): Promise<readonly string[]>;
  /** What is known of each of them by its place alone. */
  readonly known?: (place: string) => RemoteState;
}

/** A list of names on a mount, as ids. */
const onMount =
  (folder: string) =>
  async (client: SecretsClient, mount: string): Promise<readonly string[]> => {
    const request = { summary: `list ${folder} of ${mount}`, path: path`/${mountPath(mount)}/${folder}` };
    return (await client.list(request)).map((name) => mountedId(mount, name));
  };

/** Of what there is one on a mount, if any. */
const oneOnMount = (_client: SecretsClient, mount: string): Promise<readonly string[]> =>
  Promise.resolve([mountedId(mount)]);

/** What each option that names a place stands for. */
export const sources = {
  scheduler: [
    { definition: accessDefinition, list: oneOnMount },
    { definition: leaseDefinition, list: oneOnMount },
    { definition: roleDefinition, list: onMount("role") },
  ],
} as const satisfies Readonly<Partial<Record<SourceOption, readonly Source[]>>>;

/** The options that name a place. */
export const sourceOptions = [
  "organization",
  "admin-organization",
  "workspace",
  "directory",
  "scheduler",
  "entity-aliases",
  "mfa",
] as const;

/** The name of an option that names a place. */
export type SourceOption = (typeof sourceOptions)[number];

/** The sources of one option. */
export function sourcesOf(option: SourceOption): readonly Source[] {
  const bySchema = (sources as Readonly<Partial<Record<SourceOption, readonly Source[]>>>)[option] ?? [];
  const own = [...collectDefinitions(library).values()].flatMap((definition): Source[] => {
    const { importedBy } = definition;
    return importedBy?.option === option
      ? [{ definition, list: (client, place) => importedBy.ids(client, place), ...pickKnown(importedBy) }]
      : [];
  });
  return [...bySchema, ...own];
}

function pickKnown({ known }: Pick<Source, "known">): Pick<Source, "known"> {
  return known === undefined ? {} : { known };
}
