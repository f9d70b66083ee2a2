import { dialectOf } from "../../connection/resolve";
import { providerSources } from "../../connection/sources";
import { connect } from "../../connection/connect";
import type { Caller } from "../../base/caller";
import type { Dialect } from "../../base/settings";
import type { AnyResourceDefinition, RemoteState } from "../../resource/definition";
import type { JsonObject } from "../../base/json";
import { composeOutputs } from "../../resource/outputs";
import { shortName } from "./classes";
import { messageOf } from "../../base/errors";
import type { SourceOption } from "./sources";
import { sourcesOf } from "./sources";

/** An object that may be imported. */
export interface Candidate {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  /** What is known of it by its place. */
  readonly known: RemoteState;
  /** The option that asked for it, as it was written. */
  readonly option: string;
  /** It was named, so that its absence is an error. */
  readonly named: boolean;
}

/** An object, as read from its service. */
export interface FoundObject {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  readonly dialect: Dialect;
  /** Arguments and outputs by name, secrets included. */
  readonly values: JsonObject;
  /** Where it was read: the identity of the service. */
  readonly at: string;
  /** What its resource has to remember of it. */
  readonly memory: JsonObject;
}

/** An object that cannot be imported, and why. */
export interface LeftOut {
  readonly definition: AnyResourceDefinition;
  readonly id: string;
  readonly reason: string;
}

/** The services as the environment says that they are reached. */
export class Services {
  private readonly sources = providerSources(undefined);

  constructor(private readonly caller: Caller) {}

  /** Finds everything in a place. */
  async candidates(option: SourceOption, place: string, written: string): Promise<Candidate[]> {
    const lists = sourcesOf(option).map(async ({ definition, importedBy }) => {
      const ids = await this.asking(written, async () => importedBy.ids(this.client(definition), place));
      return ids.map((id): Candidate => {
        return { definition, id, known: importedBy.known?.(place) ?? {}, option: written, named: false };
      });
    });
    return (await Promise.all(lists)).flat();
  }

  /**
   * Reads an object.
   *
   * @returns why it must be left out where the service does not show it; `undefined` where there is none and
   *   none was named
   */
  async read({
    definition,
    id,
    known,
    option,
    named,
  }: Candidate): Promise<FoundObject | LeftOut | undefined> {
    const client = this.client(definition);
    const step = { ...this.caller, client, memory: {}, managed: new Set<string>() };
    let state: RemoteState | undefined;
    try {
      state = await definition.read(step, id, known);
    } catch (error) {
      if (named || this.caller.signal.aborted) {
        throw saying(option, error);
      }
      return { definition, id, reason: messageOf(error) };
    }
    if (state === undefined) {
      if (named) {
        throw new Error(`${option}: there is no ${shortName(definition)} ${id}.`);
      }
      return undefined;
    }
    const { identity } = connect(this.sources, definition.service);
    return {
      definition,
      id,
      dialect: dialectOf(this.sources, definition.service.name),
      values: composeOutputs(definition, { ...known, ...given(state) }, {}, {}),
      at: identity,
      memory: definition.remember?.(client, state) ?? {},
    };
  }

  private client({ service }: AnyResourceDefinition): never {
    return connect(this.sources, service).clientFor(this.caller) as never;
  }

  private async asking<Result>(option: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw saying(option, error);
    }
  }
}

/** A field that the response does not contain must not hide what is known of it. */
function given(state: RemoteState): RemoteState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
}

function saying(option: string, error: unknown): Error {
  return new Error(`${option}: ${messageOf(error)}`, { cause: error });
}
