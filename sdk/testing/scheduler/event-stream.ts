import type { Writable } from "node:stream";
import type { EmulatorClock } from "../clock";
import type { Caller } from "../tokens";
import type { SchedulerDialect } from "./dialect";
import { frameText, toWireEvent, type EmittedEvent, type WireFrame } from "./event";
import { selectEvents, type Subscription } from "./subscription";

/** The scheduler's side of its event stream, controlled by a test. */
export interface SchedulerEvents {
  /**
   * Sends one frame with these events to all subscribers, current ones and, while it is buffered, later ones.
   *
   * @param index of the frame; default one more than the last one's
   * @returns the index
   * @throws RangeError when the index is not a whole number from the last one's on
   */
  emit(events: EmittedEvent | readonly EmittedEvent[], index?: number): number;
  /** Writes raw bytes to every open stream: half a frame, frames without a line break, garbage. */
  write(bytes: string | Uint8Array): void;
  /** Closes every open stream, like a lost connection. */
  disconnect(): void;
  /** Whether objects are sent on lines of their own or without separators. Default `"lines"`. */
  framing: "lines" | "concatenated";
  /**
   * How a subscription without permission or token is rejected: with status 403, or, as newer releases do,
   * with a stream that ends without a byte. Default `"status"`.
   */
  refusal: "status" | "silence";
}

/** The state of the event stream. */
export interface EventStreamInspection {
  /** What is buffered, oldest first. */
  readonly frames: readonly WireFrame[];
  /** One for each open stream. */
  readonly subscriptions: readonly Subscription[];
}

const heartbeatInterval = 30_000;
const heartbeat = "{}";

interface Subscriber {
  readonly caller: Caller<unknown>;
  readonly subscription: Subscription;
  readonly output: Writable;
  /** How many frames were emitted before the next one to look at. */
  position: number;
  blocked: boolean;
}

/** A bounded buffer of frames and everybody who reads from it. */
export class EventStream implements SchedulerEvents {
  framing: SchedulerEvents["framing"] = "lines";
  refusal: SchedulerEvents["refusal"] = "status";
  private frames: WireFrame[] = [];
  /** How many frames have left the buffer. */
  private forgotten = 0;
  private lastIndex = 0;
  private readonly subscribers = new Set<Subscriber>();

  /** @param capacity how many frames are kept */
  constructor(
    private readonly clock: EmulatorClock,
    private readonly capacity: number,
    private readonly dialect: SchedulerDialect,
  ) {}

  /** The index that the next frame gets unless it is given another. */
  get nextIndex(): number {
    return this.lastIndex + 1;
  }

  emit(events: EmittedEvent | readonly EmittedEvent[], index = this.nextIndex): number {
    if (!Number.isSafeInteger(index) || index < Math.max(1, this.lastIndex)) {
      throw new RangeError(
        `The index of a frame is a whole number from ${Math.max(1, this.lastIndex)} on, not ${index}.`,
      );
    }
    const Events = [events].flat().map((event) => toWireEvent(event, index, this.dialect));
    this.lastIndex = index;
    this.frames.push({ Index: index, Events });
    if (this.frames.length > this.capacity) {
      this.frames.shift();
      this.forgotten += 1;
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

  disconnect(): void {
    this.disconnectWhere(() => true);
  }

  /** Ends the streams of a caller whose token is no longer valid. */
  disconnectCaller(caller: Caller<unknown>): void {
    this.disconnectWhere((subscriber) => subscriber.caller === caller);
  }

  /** Sends a heartbeat, the backlog, and from then on whatever comes, until the connection ends. */
  subscribe(output: Writable, subscription: Subscription, caller: Caller<unknown>): void {
    const position = this.forgotten + this.startOf(subscription);
    const subscriber: Subscriber = { caller, subscription, output, position, blocked: false };
    this.subscribers.add(subscriber);
    const stopHeartbeats = this.keepAlive(output);
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
    this.forgotten = 0;
    this.lastIndex = 0;
    this.framing = "lines";
    this.refusal = "status";
  }

  /** Where in the buffer a subscription starts. */
  private startOf({ index }: Subscription): number {
    const reached = this.frames.findIndex((frame) => frame.Index >= index);
    if (reached !== -1) {
      return reached;
    }
    const end = this.frames.length;
    return this.dialect.beforeIndexIsReached === "nothing" ? end : Math.max(0, end - 1);
  }

  private deliver(subscriber: Subscriber): void {
    const { output, subscription } = subscriber;
    if (subscriber.position < this.forgotten) {
      // A reader that is too slow for the buffer has lost frames, so its stream is closed.
      output.destroy();
      return;
    }
    while (!subscriber.blocked) {
      const frame = this.frames[subscriber.position - this.forgotten];
      if (frame === undefined) {
        return;
      }
      subscriber.position += 1;
      const selected = selectEvents(frame, subscription, this.dialect);
      if (selected !== undefined) {
        subscriber.blocked = !this.send(output, frameText(selected, this.dialect));
      }
    }
  }

  /** @returns a function which stops the heartbeats */
  private keepAlive(output: Writable): () => void {
    let stop: () => void = () => undefined;
    const beat = (): void => {
      this.send(output, heartbeat);
      stop = this.clock.after(heartbeatInterval, beat);
    };
    beat();
    return () => stop();
  }

  /** @returns whether the output takes more at the moment */
  private send(output: Writable, text: string): boolean {
    return output.write(text + (this.framing === "lines" ? "\n" : ""));
  }

  private disconnectWhere(concerned: (subscriber: Subscriber) => boolean): void {
    for (const subscriber of this.subscribers) {
      if (concerned(subscriber)) {
        subscriber.output.destroy();
      }
    }
  }
}
