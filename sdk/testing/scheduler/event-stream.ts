import type { Writable } from "node:stream";
import type { EmulatorClock } from "../clock";
import type { Caller } from "../tokens";
import { selectEvents } from "./subscription";
import type { SchedulerTraits } from "./traits";
import type {
  EventStreamInspection,
  SchedulerEmulatorOptions,
  SchedulerEvents,
  Subscription,
  WireEvent,
  WireFrame,
} from "./types";
import type { EmittedEvent } from "./seeds";

const heartbeatInterval = 30_000;
const heartbeat = "{}";
/** Nomad forgets the connection, and Go's garbage collector closes it. */
const silenceBeforeEnd = 5_000;

interface Subscriber {
  readonly caller: Caller<unknown>;
  readonly subscription: Subscription;
  readonly output: Writable;
  readonly stopHeartbeats: () => void;
  /** Number of frames emitted before the next one to send. */
  position: number;
  blocked: boolean;
}

export class EventStream implements SchedulerEvents {
  framing: SchedulerEvents["framing"] = "lines";
  refusal: SchedulerEvents["refusal"];
  /** Of Nomad since 2.0: command/agent/event_endpoint.go takes the connection over before the request is checked. */
  private readonly endsInSilence: boolean;
  private readonly capacity: number;
  private frames: WireFrame[] = [];
  /** Number of frames dropped from the buffer. */
  private dropped = 0;
  private lastIndex = 0;
  private readonly subscribers = new Set<Subscriber>();

  constructor(
    private readonly clock: EmulatorClock,
    private readonly traits: SchedulerTraits,
    { release = "2.0", eventBufferSize = 100 }: SchedulerEmulatorOptions,
  ) {
    this.capacity = eventBufferSize;
    this.endsInSilence = traits.takesStreamsOver && release === "2.0";
    this.refusal = this.endsInSilence ? "silence" : "status";
  }

  get nextIndex(): number {
    return this.lastIndex + 1;
  }

  emit(events: EmittedEvent | readonly EmittedEvent[], index = this.nextIndex): number {
    if (!Number.isSafeInteger(index) || index < Math.max(1, this.lastIndex)) {
      throw new RangeError(
        `The index of a frame must be a whole number from ${Math.max(1, this.lastIndex)} on, not ${index}.`,
      );
    }
    const Events = [events].flat().map((event) => toWireEvent(event, index, this.traits));
    this.lastIndex = index;
    this.frames.push({ Index: index, Events });
    if (this.frames.length > this.capacity) {
      this.frames.shift();
      this.dropped += 1;
    }
    for (const subscriber of this.subscribers) {
      this.deliver(subscriber);
    }
    return index;
  }

  write(bytes: string | Uint8Array): void {
    for (const { output } of this.subscribers) {
      output.write(bytes);
    }
  }

  /** @param caller default: all, without a reason */
  disconnect(caller?: Caller<unknown>): void {
    for (const subscriber of this.subscribers) {
      if (caller === undefined) {
        subscriber.output.destroy();
      } else if (subscriber.caller === caller) {
        this.end(subscriber, "subscription closed by server, client should resubscribe");
      }
    }
  }

  /** Sends a heartbeat and the backlog first. */
  subscribe(output: Writable, subscription: Subscription, caller: Caller<unknown>): void {
    const position = this.dropped + this.startOf(subscription);
    const stopHeartbeats = this.keepAlive(output);
    const subscriber = { caller, subscription, output, stopHeartbeats, position, blocked: false };
    this.subscribers.add(subscriber);
    output.on("drain", () => {
      subscriber.blocked = false;
      this.deliver(subscriber);
    });
    output.once("close", () => {
      stopHeartbeats();
      this.subscribers.delete(subscriber);
    });
    this.deliver(subscriber);
  }

  inspect(): EventStreamInspection {
    return {
      frames: [...this.frames],
      subscriptions: Array.from(this.subscribers, ({ subscription }) => subscription),
    };
  }

  clear(): void {
    this.disconnect();
    this.subscribers.clear();
    this.frames = [];
    this.dropped = 0;
    this.lastIndex = 0;
    this.framing = "lines";
    this.refusal = this.endsInSilence ? "silence" : "status";
  }

  /** Accepts a request but does not send anything. */
  keepSilent(output: Writable): void {
    const stop = this.clock.after(silenceBeforeEnd, () => output.end());
    output.once("close", stop);
  }

  private startOf({ index }: Subscription): number {
    const first = this.frames.findIndex((frame) => frame.Index >= index);
    if (first !== -1) {
      return first;
    }
    const end = this.frames.length;
    // The products send the newest frame at once.
    return this.traits.sendsNewest ? Math.max(0, end - 1) : end;
  }

  private deliver(subscriber: Subscriber): void {
    const { output, subscription } = subscriber;
    if (subscriber.position < this.dropped) {
      // A subscriber that is too slow for the buffer has lost frames, so its stream is closed.
      this.end(subscriber, "event dropped from buffer");
      return;
    }
    while (!subscriber.blocked) {
      const frame = this.frames[subscriber.position - this.dropped];
      if (frame === undefined) {
        return;
      }
      subscriber.position += 1;
      const selected = selectEvents(frame, subscription, this.traits);
      if (selected !== undefined) {
        subscriber.blocked = !this.send(output, frameText(selected, this.traits));
      }
    }
  }

  /** Releases before 2.0 write the reason into the stream. */
  private end(subscriber: Subscriber, reason: string): void {
    const { output } = subscriber;
    this.subscribers.delete(subscriber);
    if (this.endsInSilence) {
      subscriber.stopHeartbeats();
      this.keepSilent(output);
    } else if (this.traits.explainsEnds) {
      output.end(reason);
    } else {
      output.destroy();
    }
  }

  private keepAlive(output: Writable): () => void {
    let stop: () => void = () => undefined;
    const sendHeartbeat = (): void => {
      this.send(output, heartbeat);
      stop = this.clock.after(heartbeatInterval, sendHeartbeat);
    };
    sendHeartbeat();
    return () => stop();
  }

  /** @returns whether the output accepts more */
  private send(output: Writable, text: string): boolean {
    return output.writableEnded || output.write(text + (this.framing === "lines" ? "\n" : ""));
  }
}

function toWireEvent(
  event: EmittedEvent,
  index: number,
  { drainsAreNodes, nodeEvent }: SchedulerTraits,
): WireEvent {
  const { type, key, filterKeys, payload = {} } = event;
  const topic = drainsAreNodes && event.topic === "NodeDrain" ? "Node" : event.topic;
  return {
    Topic: topic,
    Type: type === "NodeEvent" ? nodeEvent : type,
    Key: key,
    Namespace: event.namespace ?? (/^(?:Node(?:Drain|Pool)?|ACL\w+)$/.test(topic) ? "" : "default"),
    FilterKeys: filterKeys === undefined ? null : [...filterKeys],
    Index: index,
    Payload: structuredClone(payload),
  };
}

/** The products write the members of an event in alphabetical order. */
function frameText({ Index, Events }: WireFrame, { sortsMembers }: SchedulerTraits): string {
  return sortsMembers
    ? JSON.stringify({ Events: Events.map(inAlphabeticalOrder), Index })
    : JSON.stringify({ Index, Events });
}

function inAlphabeticalOrder(event: WireEvent): object {
  return Object.fromEntries(Object.entries(event).sort(([one], [other]) => (one < other ? -1 : 1)));
}
