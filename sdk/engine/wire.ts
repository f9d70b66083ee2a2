import type { JsonObject, JsonValue } from "../base/json";

/**
 * The wire format of protocol buffers, as far as the engine's messages use it. The SDK's own messages take longer to
 * load than everything else that a plugin does before it can answer.
 */

/** How the content of a field is encoded; the lowest three bits of its tag. */
const wireTypes = { varint: 0, eightBytes: 1, delimited: 2, fourBytes: 5 } as const;

const tooShort = "A message of the engine ends too early.";

/** Reads one message, or a part of it. */
class Reader {
  private position = 0;

  constructor(private readonly bytes: Buffer) {}

  isAtEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) {
        throw new RangeError(tooShort);
      }
      value += (byte & 127) * factor;
      if (byte < 128) {
        return value;
      }
    }
  }

  double(): number {
    const value = this.bytes.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  text(): string {
    const end = this.end();
    const value = this.bytes.toString("utf8", this.position, end);
    this.position = end;
    return value;
  }

  content(): Buffer {
    const end = this.end();
    const value = this.bytes.subarray(this.position, end);
    this.position = end;
    return value;
  }

  skip(wireType: number): void {
    if (wireType === wireTypes.varint) {
      this.varint();
    } else if (wireType === wireTypes.delimited) {
      this.position = this.end();
    } else if (wireType === wireTypes.eightBytes || wireType === wireTypes.fourBytes) {
      this.position += wireType === wireTypes.eightBytes ? 8 : 4;
    } else {
      throw new RangeError(`A message of the engine has a field of the unknown form ${wireType}.`);
    }
  }

  /** A map of JSON values: `google.protobuf.Struct`. */
  object(): JsonObject {
    const object: Record<string, JsonValue> = {};
    const end = this.end();
    while (this.position < end) {
      const tag = this.varint();
      if (tag === tagOf(1, wireTypes.delimited)) {
        this.entry(object);
      } else {
        this.skip(tag & 7);
      }
    }
    return object;
  }

  private entry(object: Record<string, JsonValue>): void {
    let key = "";
    let value: JsonValue = null;
    const end = this.end();
    while (this.position < end) {
      const tag = this.varint();
      if (tag === tagOf(1, wireTypes.delimited)) {
        key = this.text();
      } else if (tag === tagOf(2, wireTypes.delimited)) {
        value = this.value();
      } else {
        this.skip(tag & 7);
      }
    }
    if (key === "__proto__") {
      Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
    } else {
      object[key] = value;
    }
  }

  /** `google.protobuf.Value`. */
  private value(): JsonValue {
    let value: JsonValue = null;
    const end = this.end();
    while (this.position < end) {
      const tag = this.varint();
      if (tag === tagOf(valueFields.null, wireTypes.varint)) {
        this.varint();
        value = null;
      } else if (tag === tagOf(valueFields.number, wireTypes.eightBytes)) {
        value = this.double();
      } else if (tag === tagOf(valueFields.text, wireTypes.delimited)) {
        value = this.text();
      } else if (tag === tagOf(valueFields.boolean, wireTypes.varint)) {
        value = this.varint() !== 0;
      } else if (tag === tagOf(valueFields.object, wireTypes.delimited)) {
        value = this.object();
      } else if (tag === tagOf(valueFields.list, wireTypes.delimited)) {
        value = this.list();
      } else {
        this.skip(tag & 7);
      }
    }
    return value;
  }

  private list(): JsonValue[] {
    const list: JsonValue[] = [];
    const end = this.end();
    while (this.position < end) {
      const tag = this.varint();
      if (tag === tagOf(1, wireTypes.delimited)) {
        list.push(this.value());
      } else {
        this.skip(tag & 7);
      }
    }
    return list;
  }

  /** Reads a length. @returns where what it measures ends */
  private end(): number {
    const length = this.varint();
    const end = this.position + length;
    if (end > this.bytes.length) {
      throw new RangeError(tooShort);
    }
    return end;
  }
}

/** The fields of `google.protobuf.Value`. */
const valueFields = { null: 1, number: 2, text: 3, boolean: 4, object: 5, list: 6 } as const;

function tagOf(field: number, wireType: number): number {
  return field * 8 + wireType;
}

/** Writes one message. */
class Writer {
  private bytes = Buffer.allocUnsafe(1024);
  private length = 0;

  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  varint(value: number): void {
    this.makeRoom(10);
    for (let rest = value; ; rest = Math.floor(rest / 128)) {
      if (rest < 128) {
        this.bytes[this.length++] = rest;
        return;
      }
      this.bytes[this.length++] = (rest % 128) + 128;
    }
  }

  double(value: number): void {
    this.makeRoom(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  text(value: string): void {
    const start = this.begin();
    this.makeRoom(value.length * 3);
    this.length += this.bytes.write(value, this.length);
    this.finish(start);
  }

  content(value: Buffer): void {
    this.varint(value.length);
    this.makeRoom(value.length);
    this.length += value.copy(this.bytes, this.length);
  }

  object(object: JsonObject): void {
    const start = this.begin();
    for (const [key, value] of Object.entries(object)) {
      this.varint(tagOf(1, wireTypes.delimited));
      const entry = this.begin();
      this.varint(tagOf(1, wireTypes.delimited));
      this.text(key);
      this.varint(tagOf(2, wireTypes.delimited));
      this.value(value);
      this.finish(entry);
    }
    this.finish(start);
  }

  private value(value: JsonValue): void {
    const start = this.begin();
    if (typeof value === "string") {
      this.varint(tagOf(valueFields.text, wireTypes.delimited));
      this.text(value);
    } else if (typeof value === "number") {
      this.varint(tagOf(valueFields.number, wireTypes.eightBytes));
      this.double(value);
    } else if (typeof value === "boolean") {
      this.varint(tagOf(valueFields.boolean, wireTypes.varint));
      this.varint(value ? 1 : 0);
    } else if (value === null) {
      this.varint(tagOf(valueFields.null, wireTypes.varint));
      this.varint(0);
    } else if (isList(value)) {
      this.varint(tagOf(valueFields.list, wireTypes.delimited));
      const list = this.begin();
      for (const item of value) {
        this.varint(tagOf(1, wireTypes.delimited));
        this.value(item);
      }
      this.finish(list);
    } else {
      this.varint(tagOf(valueFields.object, wireTypes.delimited));
      this.object(value);
    }
    this.finish(start);
  }

  /** Begins what has its length before it: most often one byte, for which there is room now. */
  begin(): number {
    this.makeRoom(1);
    return this.length++;
  }

  /** @param start what `begin` has returned */
  finish(start: number): void {
    const end = this.length;
    const length = end - start - 1;
    let further = 0;
    for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) {
      further++;
    }
    if (further > 0) {
      this.makeRoom(further);
      this.bytes.copyWithin(start + 1 + further, start + 1, end);
    }
    this.length = start;
    this.varint(length);
    this.length = end + further;
  }

  private makeRoom(size: number): void {
    const needed = this.length + size;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A field of a message. */
interface Field<Value> {
  readonly tag: number;
  /** The value of a message without the field, which is not written. */
  readonly absent: Value;
  /** @param former what fields of the same number had before it, which a list continues */
  read(reader: Reader, former: Value): Value;
  /** Writes the tag too. Called for values that are not absent. */
  write(writer: Writer, value: Value): void;
}

/** What reads and writes messages of one type. */
export interface Message<Content> {
  /** @throws RangeError if the bytes are no message */
  decode(bytes: Buffer): Content;
  /** Members that are left out have the value that a message without them has. */
  encode(content: Partial<Content>): Buffer;
}

/** What a message has, by the names of its fields. */
type ContentOf<Fields> = { [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never };

/** The content of the messages of a type. */
export type Content<Type> = Type extends Message<infer Held> ? Held : never;

/** A type of message, with those of its fields that are used; others are skipped. */
export function message<const Fields extends Readonly<Record<string, Field<unknown>>>>(
  fields: Fields,
): Message<ContentOf<Fields>> {
  const named = Object.entries<Field<unknown>>(fields);
  const byTag = new Map(named.map(([name, field]) => [field.tag, { name, field }]));
  const absent = Object.fromEntries(named.map(([name, field]) => [name, field.absent]));
  return {
    decode(bytes) {
      const reader = new Reader(bytes);
      const content = { ...absent };
      while (!reader.isAtEnd()) {
        const tag = reader.varint();
        const found = byTag.get(tag);
        if (found === undefined) {
          reader.skip(tag & 7);
        } else {
          content[found.name] = found.field.read(reader, content[found.name]);
        }
      }
      return content as ContentOf<Fields>;
    },
    encode(content) {
      const writer = new Writer();
      for (const [name, field] of named) {
        const value = (content as Readonly<Record<string, unknown>>)[name] ?? field.absent;
        if (!Object.is(value, field.absent)) {
          field.write(writer, value);
        }
      }
      return writer.written();
    },
  };
}

/** A text. */
export function text(number: number): Field<string> {
  const tag = tagOf(number, wireTypes.delimited);
  return {
    tag,
    absent: "",
    read: (reader) => reader.text(),
    write(writer, value) {
      writer.varint(tag);
      writer.text(value);
    },
  };
}

/** A truth value. */
export function boolean(number: number): Field<boolean> {
  const tag = tagOf(number, wireTypes.varint);
  return {
    tag,
    absent: false,
    read: (reader) => reader.varint() !== 0,
    write(writer, value) {
      writer.varint(tag);
      writer.varint(value ? 1 : 0);
    },
  };
}

/** An integer that is not negative, or a member of an enumeration. */
export function integer(number: number): Field<number> {
  const tag = tagOf(number, wireTypes.varint);
  return {
    tag,
    absent: 0,
    read: (reader) => reader.varint(),
    write(writer, value) {
      writer.varint(tag);
      writer.varint(value);
    },
  };
}

/** A number with a fraction. */
export function double(number: number): Field<number> {
  const tag = tagOf(number, wireTypes.eightBytes);
  return {
    tag,
    absent: 0,
    read: (reader) => reader.double(),
    write(writer, value) {
      writer.varint(tag);
      writer.double(value);
    },
  };
}

/** Bytes, or a message that is encoded already. */
export function content(number: number): Field<Buffer | undefined> {
  const tag = tagOf(number, wireTypes.delimited);
  return {
    tag,
    absent: undefined,
    read: (reader) => reader.content(),
    write(writer, value) {
      if (value !== undefined) {
        writer.varint(tag);
        writer.content(value);
      }
    },
  };
}

/** Properties: `google.protobuf.Struct`. */
export function struct(number: number): Field<JsonObject | undefined> {
  const tag = tagOf(number, wireTypes.delimited);
  return {
    tag,
    absent: undefined,
    read: (reader) => reader.object(),
    write(writer, value) {
      if (value !== undefined) {
        writer.varint(tag);
        writer.object(value);
      }
    },
  };
}

/** A list of texts. */
export function texts(number: number): Field<readonly string[]> {
  const one = text(number);
  return {
    tag: one.tag,
    absent: [],
    read: (reader, former) => [...former, reader.text()],
    write: (writer, values) => values.forEach((value) => one.write(writer, value)),
  };
}

/** A list of messages. */
export function messages<Item>(number: number, type: Message<Item>): Field<readonly Item[]> {
  const one = content(number);
  return {
    tag: one.tag,
    absent: [],
    read: (reader, former) => [...former, type.decode(reader.content())],
    write: (writer, values) => values.forEach((value) => one.write(writer, type.encode(value))),
  };
}
