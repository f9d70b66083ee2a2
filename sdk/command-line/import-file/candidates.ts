import type { Caller } from "../../base/caller";
import { ConfigurationError, messageOf } from "../../base/errors";
import { showable } from "../../base/shown-text";
import { connect } from "../../connection/connect";
import { providerSources } from "../../connection/sources";
import * as library from "../../index";
import {
  type AnyResourceDefinition,
  className,
  collectClasses,
  noOthers,
  type RemoteState,
  shortName,
} from "../../resource/definition";
import { type CommandOption, forCommandLine, listOption, type OptionValues, UsageError } from "../command";
import type { Terminal } from "../terminal";
import type { Managers } from "./managers";

export const place = (placeholder: string, meaning: string) => ({ placeholder, meaning, multiple: true });

/** The options that name what to import. */
export const sources: Readonly<Record<string, CommandOption>> = {
  organization: place("NAME", "the projects of an organization"),
  "admin-organization": place(
    "NAME",
    "an organization's settings, module consumers and provider consumers, for site administrators",
  ),
  workspace: place("ID", "the notification configurations of a workspace"),
  project: place("ID", "the notification configurations of a project, in the hashicorp dialect"),
  team: place("ID", "the notification configurations of a team, in the hashicorp dialect"),
  directory: place("MOUNT", "a directory engine: its configuration, static roles and library sets"),
  scheduler: place("MOUNT", "a scheduler engine: its access and lease configurations and its roles"),
  "entity-aliases": { meaning: "all entity aliases" },
  mfa: { meaning: "all TOTP methods, and push methods without a mount" },
};

interface Candidate {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  /** The arguments that are known from the place. */
  readonly known: RemoteState;
  /** The option that selected it, as written. */
  readonly option: string;
  /** Whether it was selected by `--resource`, so that its absence is an error. */
  readonly named: boolean;
}

export interface Found extends Candidate {
  readonly state?: RemoteState | undefined;
  /** Why it cannot be imported. */
  readonly reason?: string;
}

/** Finds the objects that the options select in the services. */
export async function find(
  options: OptionValues,
  terminal: Terminal,
  managers: Managers,
): Promise<readonly Found[]> {
  const signal = terminal.interrupted;
  const caller: Caller = {
    signal,
    progress: () => undefined,
    announce: (_kind, message) => terminal.tell(showable(message)),
  };
  const settings = providerSources(undefined);
  const clientOf = ({ service }: AnyResourceDefinition): never =>
    connect(settings, service).clientFor(caller) as never;
  const list = async (definition: AnyResourceDefinition, name: string, place: string) => {
    const { importedBy } = definition;
    if (importedBy === undefined || ![importedBy.option].flat().includes(name)) {
      return [];
    }
    const option = `--${name} ${place}`.trim();
    try {
      const known = importedBy.known?.(place, name) ?? {};
      const ids = await importedBy.ids(clientOf(definition), place, name);
      return ids.map((id) => ({ definition, id, known, option, named: false }));
    } catch (error) {
      throw about(option, error);
    }
  };
  const read = async (candidate: Candidate): Promise<Found> => {
    const { definition, id, option, known, named } = candidate;
    try {
      const manager = managers.find(candidate, connect(settings, definition.service).settings);
      if (manager !== undefined) {
        return { ...candidate, reason: manager };
      }
      const step = {
        ...caller,
        client: clientOf(definition),
        privateState: {},
        managed: new Set<string>(),
        others: noOthers,
      };
      const state = await definition.read(step, id, known);
      if (state === undefined && named) {
        throw new Error(`there is no ${shortName(definition)} ${id}.`);
      }
      return { ...candidate, state: state && { ...known, ...state } };
    } catch (error) {
      if (named || signal.aborted) {
        throw about(option, error);
      }
      return { ...candidate, reason: messageOf(error) };
    }
  };
  const named = listOption(options, "resource").map(namedCandidate);
  const classes = [...collectClasses(library).values()];
  const lists = Object.keys(sources).flatMap((name) => {
    const places = options[name] === true ? [""] : listOption(options, name);
    return places.flatMap((place) => classes.map(({ definition }) => list(definition, name, place)));
  });
  if (lists.length === 0 && named.length === 0) {
    throw new UsageError("No option selects objects to import.");
  }
  // Several options can select the same object.
  const all = [...(await Promise.all(lists)).flat(), ...named];
  const candidates = new Map(all.map((each) => [`${each.definition.type} ${each.id}`, each]));
  return Promise.all([...candidates.values()].map(read));
}

/** A service that is not configured is not an error of the option. */
function about(option: string, error: unknown): unknown {
  return ConfigurationError.isInstance(error)
    ? forCommandLine(error)
    : new Error(`${option}: ${messageOf(error)}`, { cause: error });
}

function namedCandidate(text: string): Candidate {
  const [, name = "", id = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === "" || id === "") {
    throw new UsageError(
      `--resource must be CLASS=ID, such as Project=prj-5aKcVVJ1yDLTPFoE, not ${JSON.stringify(text)}.`,
    );
  }
  const classes = [...collectClasses(library).values()];
  const asked = name.replace(/^trivium\./, "");
  const found = classes.find(({ definition }) =>
    [className(definition), shortName(definition)].includes(asked),
  );
  if (found === undefined) {
    const importable = classes.flatMap(({ definition, get }) =>
      get === undefined ? [] : shortName(definition),
    );
    throw new UsageError(
      `--resource: ${JSON.stringify(name)} is not a class that can be imported; expected one of ${importable.join(", ")}.`,
    );
  }
  if (found.get === undefined) {
    throw new UsageError(
      `--resource: ${className(found.definition)} cannot be imported, because the service has no request that reads it. ` +
        "Add it to the program as a new resource.",
    );
  }
  return { definition: found.definition, id, known: {}, option: `--resource ${text}`, named: true };
}
