import type * as pulumi from "@pulumi/pulumi";
import { TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { TriviumResource } from "../resource/program/base";
import { defineResource } from "../resource/definition";
import { field, Fields, type Kind, outputAs } from "../resource/fields/field";
import { durationAsWritten, integer, positiveDuration, set, text, triggers } from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf } from "../resource/fields/rows";
import type { Event, EventTopic } from "./event";
import { exactIndex } from "./exact-numbers";
import { schedulerService } from "./service";
import { checkTopics, type EventMatch, matchKind, topicsSchema } from "./subscription";

const onlyInState = { local: "state" } as const;

const topicsKind: Kind<pulumi.Input<EventTopic>[], EventTopic[]> = {
  argument: topicsSchema,
  response: topicsSchema,
  canonical: set,
};

const rows = {
  /**
   * The topics to listen to, such as `"Node"` or, for one key, `"Deployment:web"`. A change does not send a request,
   * because the event has already arrived.
   */
  topics: field(topicsKind, { ...onlyInState, check: checkTopics }),
  /**
   * Which event of these topics to wait for; `{}` waits for the first one. A change does not send a request.
   */
  match: field(matchKind, onlyInState),
  /**
   * How long to wait: a number of seconds, or a duration such as `"10m"`; the output is as written. A change does not
   * send a request.
   */
  timeout: field(durationAsWritten(positiveDuration), onlyInState),
  /**
   * The namespace to listen to, or `"*"` for all namespaces (in Nomad, all that exist when the gate
   * connects). A change does not send a request.
   *
   * @default the `namespace` of the connection, else `default`
   */
  namespace: text({ least: 1, optional: true, ...onlyInState }),
  /**
   * The index to start from. Older events are ignored. A change does not send a request.
   *
   * @default 0: events in the scheduler's buffer count too
   */
  index: integer({ least: 0, optional: true, ...onlyInState }),
  /**
   * Arbitrary values. A change replaces the gate, which then waits again. Use a value whose change should be followed
   * by a new event, such as a job version. Events still in the scheduler's buffer also count, including the one that
   * matched before: to ignore it, set `index` to a higher index.
   *
   * @default never waits again
   */
  triggers: triggers({ replaces: true, ...onlyInState }),
  /** The event that arrived. */
  event: outputAs<Event, { readonly local: "class" }>((z) => z.custom<Event>(isObject), {
    local: "class",
  }),
};

const fields = new Fields(rows, (name) => name);

/** The arguments of an {@link EventGate}. */
export interface EventGateArgs extends ArgsOf<typeof rows>, Named {}

/** Replaces lone surrogates, which a response can contain but an ID cannot. */
function idOf(event: Event): string {
  const { topic, type, key } = event;
  const names = [topic, type, key].map((name) => name.replace(/\p{Surrogate}/gu, "\ufffd"));
  return [String(exactIndex(event)), ...names].map(encodeURIComponent).join("/");
}

/** The engine's messages cannot contain deeply nested values. */
const deepest = 500;

function assertKeepable({ index, topic, type, payload }: Event): void {
  let level: unknown[] = [payload];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) {
      throw new TriviumError(
        `The event ${topic}/${type} at ${index} arrived, but its payload is nested more than ${deepest} levels ` +
          "deep and cannot be stored.",
      );
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values<unknown>({ ...value }) : [],
    );
  }
}

function mayMatch(topics: readonly string[], { topic }: EventMatch): boolean {
  const listened = topics.map((each) => each.split(":", 1)[0]);
  return topic === undefined || topic === null || listened.includes("*") || listened.includes(topic);
}

/** Keeps token secrets out of state, in case the scheduler ever sends one. */
function withoutToken(event: Event): Event {
  const token = event.payload.ACLToken;
  return isObject(token) && "SecretID" in token
    ? ({ ...event, payload: { ...event.payload, ACLToken: { ...token, SecretID: "" } } } as Event)
    : event;
}

/** @internal */
export const eventGateDefinition = defineResource(schedulerService, fields)("scheduler:EventGate", {
  identity: { idIsShared: true },
  rules: [
    {
      between: ["topics", "match"],
      check: ({ topics, match }) =>
        !mayMatch(topics as readonly string[], match as EventMatch) && {
          argument: "match",
          reason: "has a topic that is not in topics, so it would never match",
        },
    },
  ],

  async create({ client, signal, progress }, desired) {
    const { topics, timeout, match } = desired;
    // Keeps the stream's code out of programs that only declare gates.
    const { awaitEvent } = require("./await-event") as typeof import("./await-event");
    const event = await awaitEvent(
      client,
      // Cleared arguments are null here.
      { topics, namespace: desired.namespace ?? undefined, index: desired.index ?? undefined, signal },
      { match, timeoutSeconds: Number(timeout), onProgress: progress },
    );
    // The last progress message stays on the resource's line.
    progress(`the event arrived at index ${exactIndex(event)}`);
    assertKeepable(event);
    return { id: idOf(event), state: { event: withoutToken(event) } };
  },

  // An event is immutable, so it cannot be updated and does not have to be read.
  read: (_step, _id, current) => Promise.resolve(current),
  update: (_step, _id, _desired, _changed, current) => Promise.resolve(current),
  delete: () => Promise.resolve(),
});

export interface EventGate extends OutputsOf<typeof rows> {}

/**
 * Waits, when it is created, for an event from the scheduler (Nomad). Resources that depend on it are created after the
 * event arrives.
 *
 * A gate waits once. Later updates and refreshes do not send a request and keep the event; only a change of
 * `triggers` makes the gate wait again. A preview never waits. Deletion has no effect. While the gate waits,
 * it shows the elapsed time and the other events. If no matching event arrives within `timeout`, the creation
 * fails with the same information.
 *
 * Its ID identifies the event: `index/topic/type/key`. There is no drift, since events are immutable.
 *
 * The event is stored in state in plain text, without token secrets. If the payload might contain secrets,
 * such as those in a job's environment, encrypt the event with the resource option
 * `additionalSecretOutputs: ["event"]`.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const registered = new trivium.scheduler.EventGate("node-is-there", {
 *   topics: ["Node"],
 *   match: { type: "NodeRegistration" },
 *   timeout: "10m",
 *   triggers: { image: "worker-2026-03" },
 * });
 *
 * export const node = registered.event.apply(({ key }) => key);
 * ```
 */
export class EventGate extends TriviumResource<EventGateArgs> {
  /** @internal */
  static override readonly definition = eventGateDefinition;
}
