import type { Area } from "../../area";
import * as forms from "../../forms";
import type { Directory, DirectoryEntryRecord, EntrySettings } from "./ldap/directory";

export interface DirectoryEntriesInspection {
  readonly directoryEntries: readonly DirectoryEntryRecord[];
}

/** What a test says about an entry. */
export interface DirectoryEntrySettings {
  /** Default (`null`): no one can bind as this entry. */
  readonly password?: string | null;
  /** By name; the values by which the entry is named are added. Default none. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether it may search and change other entries once it is bound. Default true. */
  readonly mayManage?: boolean;
}

/** An entry to set up. */
export interface NewDirectoryEntry extends DirectoryEntrySettings {
  readonly dn: string;
}

/** What a seed returns about one of its `directoryEntries`. */
export const directoryEntryForm = forms.object<NewDirectoryEntry>({
  dn: forms.name,
  password: forms.textOrNull.optional(),
  attributes: forms
    .recordOf(forms.either(forms.text, forms.listOf(forms.text), "a string or a list of strings"))
    .optional(),
  mayManage: forms.flag.optional(),
});

/** Sets up the directory behind the engine. Every method throws an Error for what the directory refuses. */
export interface DirectoryEntriesSetup {
  /** Adds an entry, and the ones above it where they are missing. */
  addDirectoryEntry(entry: NewDirectoryEntry): DirectoryEntryRecord;
  /** Changes what is given; `attributes` replace all that the entry has. */
  changeDirectoryEntry(dn: string, change: DirectoryEntrySettings): DirectoryEntryRecord;
  /** Removes an entry that has none below it. */
  removeDirectoryEntry(dn: string): void;
}

/** The directory that all mounts of the engine share. */
export function createEntriesArea(
  directory: Directory,
): Area<never, DirectoryEntriesInspection, DirectoryEntriesSetup> {
  return {
    endpoints: [],
    setup: {
      addDirectoryEntry: ({ dn, ...settings }) => structuredClone(directory.place(dn, toSettings(settings))),
      changeDirectoryEntry: (dn, change) => structuredClone(directory.update(dn, toSettings(change))),
      removeDirectoryEntry: (dn) => directory.remove(dn),
    },
    inspect: () => ({ directoryEntries: directory.all() }),
    clear: () => directory.clear(),
  };
}

function toSettings({ password, attributes, mayManage }: DirectoryEntrySettings): EntrySettings {
  return {
    ...(password === undefined ? {} : { password }),
    ...(attributes === undefined
      ? {}
      : {
          attributes: Object.fromEntries(
            Object.entries(attributes).map(([name, values]) => [name, [values].flat()]),
          ),
        }),
    ...(mayManage === undefined ? {} : { mayManage }),
  };
}
