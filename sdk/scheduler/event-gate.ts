import type * as pulumi from "@pulumi/pulumi";
import { TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { isResource, TriviumResource } from "../resource/base";
import { duration, set } from "../resource/canonical";
import { defineResource } from "../resource/definition";
import { answered, defineFields, type Field, field, type Kind } from "../resource/field";
import { integer, text } from "../resource/kinds";
import { type Triggers, triggers } from "../resource/triggers";
import type { Event, EventTopic, EventType } from "./event";
import { describeMatch, type EventMatch } from "./match";
import { schedulerService } from "./service";
import { matchSchema, timeSchema, topicsSchema } from "./stream-options";
import { unknownTopics } from "./topics";
import { isMeant } from "./translation";

/** The arguments of an {@link EventGate}. */
export interface EventGateArgs {
  /**
   * What to listen to: topics such as `"Node"`, or subjects of a topic such as `"Deployment:web"`. A change makes no
   * request: the event has come.
   */
  topics: pulumi.Input<pulumi.Input<EventTopic>[]>;
  /** Which event of these to wait for; `{}` for the first that comes. A change makes no request. */
  match: pulumi.Input<EventGateMatch>;
  /** How long to wait, in seconds or with a unit: `"10m"`. A change makes no request. */
  timeout: pulumi.Input<string | number>;
  /**
   * The namespace to listen to; `"*"` for all. A change makes no request.
   *
   * @default the `namespace` of the connection's settings, else `default`
   */
  namespace?: pulumi.Input<string | null | undefined>;
  /**
   * The index to start from, to leave out events that are older. A change makes no request.
   *
   * @default 0: what the scheduler still holds of the past counts too
   */
  index?: pulumi.Input<number | null | undefined>;
  /**
   * Any values: when one changes, the gate is replaced, which is to wait anew. Name here what another event is
   * expected after, such as the version of a job. What the scheduler still holds counts then too, also the event of
   * last time: an `index` beyond that event's leaves it out.
   *
   * @default it never waits again
   */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
}

/**
 * Which event an {@link EventGate} waits for: the first that has all of these, in the words of the documents whatever
 * the dialect.
 */
export interface EventGateMatch {
  /** Such as `"Deployment"`. */
  topic?: pulumi.Input<EventTopic | null | undefined>;
  /** Such as `"DeploymentStatusUpdate"`. One and the same type comes with several topics. */
  type?: pulumi.Input<EventType | null | undefined>;
  /** The subject: a node's id, a job's name. */
  key?: pulumi.Input<string | null | undefined>;
  /** The subject's namespace. */
  namespace?: pulumi.Input<string | null | undefined>;
  /** What the payload must contain, at any depth: `{ Deployment: { Status: "successful" } }`. */
  payload?: pulumi.Input<Record<string, unknown> | null | undefined>;
}

const behaviour = { role: "behaviour" } as const;

function topics(): Field<EventTopic[], EventTopic[], "required"> {
  return field<EventTopic[], EventTopic[], typeof behaviour>(
    { argument: topicsSchema, response: topicsSchema, canonical: set, warning: unknownTopics },
    behaviour,
  );
}

function match(): Field<pulumi.Unwrap<EventGateMatch>, EventMatch, "required"> {
  type Match = Kind<pulumi.Unwrap<EventGateMatch>, EventMatch>;
  // To the compiler an output in a payload of anything is nothing at all.
  const argument = matchSchema as unknown as Match["argument"];
  return field<pulumi.Unwrap<EventGateMatch>, EventMatch, typeof behaviour>(
    { argument, response: matchSchema },
    behaviour,
  );
}

/** Seconds, which state has as the program writes them. */
function time(): Field<string | number, string | number, "required"> {
  return field<string | number, string | number, typeof behaviour>(
    { argument: timeSchema, response: timeSchema, canonical: duration },
    behaviour,
  );
}

function event(): Field<Event, Event, "required"> {
  return field(
    { argument: (z) => z.custom<Event>(isObject), response: (z) => z.custom<Event>(isObject) },
    { place: "library" },
  );
}

const fields = defineFields<EventGateArgs, EventGate>((name) => name)({
  topics: topics(),
  match: match(),
  timeout: time(),
  namespace: text({ least: 1, optional: true, ...behaviour }),
  index: integer({
    optional: true,
    ...behaviour,
    problem: (index) => (index < 0 ? "must be 0 or more" : undefined),
  }),
  triggers: triggers({ replaces: true, ...behaviour }),
  event: answered(event()),
});

/** Halves of characters, which an answer can hold and an id cannot, become a sign of their own. */
function idOf({ index, topic, type, key }: Event): string {
  const names = [topic, type, key].map((name) => name.replace(/\p{Surrogate}/gu, "\ufffd"));
  return [index, ...names].map(encodeURIComponent).join("/");
}

/** The engine's messages do not hold values that are nested without end. */
const deepest = 500;

function assertKeepable({ index, topic, type, payload }: Event): void {
  let level: unknown[] = [payload];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) {
      throw new TriviumError(
        `The event ${topic}/${type} at ${index} has come, and its payload is nested more than ${deepest} levels ` +
          "deep: it cannot be kept.",
      );
    }
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values<unknown>({ ...value }) : [],
    );
  }
}

/** Whether events of the wanted topic come at all. */
function mayMatch(topics: readonly string[], { topic }: EventMatch): boolean {
  const listened = topics.map((each) => each.split(":", 1)[0]);
  return topic === undefined || topic === null || listened.includes("*") || listened.includes(topic);
}

/** State is no place for a token, should the scheduler ever send one. */
function withoutToken(event: Event): Event {
  const token = event.payload.ACLToken;
  return isObject(token) && "SecretID" in token
    ? ({ ...event, payload: { ...event.payload, ACLToken: { ...token, SecretID: "" } } } as Event)
    : event;
}

/** @internal */
export const eventGateDefinition = defineResource(schedulerService, fields)("scheduler:EventGate", {
  shared: true,
  timeoutArgument: "timeout",
  rules: [
    {
      between: ["topics", "match"],
      check: ({ topics, match }) =>
        !mayMatch(topics as readonly string[], match as EventMatch) && {
          argument: "match",
          reason: "has a topic that is not among topics: no such event would come",
        },
    },
  ],

  async create({ client, signal, progress }, desired) {
    const { topics, timeout, match } = desired;
    // A program that only declares gates never reads the stream.
    const { awaitEvent } = require("./await-event") as typeof import("./await-event");
    const event = await awaitEvent(
      client,
      // Cleared arguments are null here.
      { topics, namespace: desired.namespace ?? undefined, index: desired.index ?? undefined, signal },
      {
        description: describeMatch(match),
        isWanted: (candidate) => isMeant(match, candidate, client.dialect),
        timeoutSeconds: Number(timeout),
        onProgress: progress,
      },
    );
    // What was shown last stays on the resource's line.
    progress(`the event has come, at ${event.index}`);
    assertKeepable(event);
    return { id: idOf(event), state: { event: withoutToken(event) } };
  },

  // An event has been: nothing can change it, and there is nothing to ask for.
  read: (_step, _id, known) => Promise.resolve(known),
  update: (_step, _id, _desired, _changed, known) => Promise.resolve(known),
  delete: () => Promise.resolve(),
});

/**
 * A gate in a program: its creation waits until an event of the scheduler arrives. What depends on it comes after.
 *
 * It waits once. Later runs and refreshes ask nothing and keep the event; only a change of `triggers` makes it wait
 * again. A preview never waits. Deletion does nothing. While it waits it shows how long it has and what has come
 * instead; when no event comes within `timeout` the creation fails, saying that too.
 *
 * Its id is made of the event: `index/topic/type/key`. There is no drift: an event that has been does not change.
 *
 * The event stands in state in clear, except for a token's secret, which is left out. Where a payload may hold
 * secrets, such as those in a job's environment, encrypt it: `additionalSecretOutputs: ["event"]` among the options.
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
 *
 * Documented as the event stream in the scheduler's interface.
 */
export class EventGate extends TriviumResource {
  /** @internal */
  static override readonly definition = eventGateDefinition;

  /** What it listened to. */
  declare readonly topics: pulumi.Output<EventTopic[]>;
  /** Which event it waited for. */
  declare readonly match: pulumi.Output<EventMatch>;
  /** How long it would have waited. */
  declare readonly timeout: pulumi.Output<string | number>;
  /** The namespace it listened to. */
  declare readonly namespace: pulumi.Output<string | null | undefined>;
  /** The index it started from. */
  declare readonly index: pulumi.Output<number | null | undefined>;
  /** The values with which it waited. */
  declare readonly triggers: pulumi.Output<Triggers | null | undefined>;
  /** The event that it waited for. */
  declare readonly event: pulumi.Output<Event>;

  /** Whether a value is an event gate, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is EventGate {
    return isResource(value, eventGateDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what to wait for
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: EventGateArgs, options?: pulumi.CustomResourceOptions) {
    super(eventGateDefinition, name, args, options);
  }
}
