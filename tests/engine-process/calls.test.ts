import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { type CallFailure, type CallHandler, callServer } from "../../sdk/engine/calls";

/** The client of gRPC itself calls the server. */
describe("callServer", () => {
  let server: Http2Server;
  let client: grpc.Client;
  const arrivals = new EventEmitter();
  const handlers: Record<string, CallHandler> = {
    "/test.Service/Echo": (request) => Promise.resolve(Buffer.from(request)),
    "/test.Service/Fail": (request) => Promise.reject(new Error(request.toString())),
    "/test.Service/Throw": () => {
      throw new Error("at once");
    },
    "/test.Service/Wait": (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          arrivals.emit("aborted");
          resolve(Buffer.alloc(0));
        });
        arrivals.emit("waiting");
      }),
  };
  const failureOf = (error: unknown): CallFailure => {
    const { message } = error as Error;
    return message === "details" ? { message, details: Buffer.of(0, 255) } : { message };
  };

  before(async () => {
    server = callServer((path) => handlers[path], failureOf);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
    client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), unlimited);
  });
  after(async () => {
    client.close();
    server.close();
    await once(server, "close");
  });

  const same = (bytes: Buffer): Buffer => bytes;
  const start = (
    method: string,
    request: Buffer,
    callback: grpc.requestCallback<Buffer>,
    options: grpc.CallOptions = {},
  ): grpc.ClientUnaryCall =>
    client.makeUnaryRequest(`/test.Service/${method}`, same, same, request, options, callback);
  const call = (method: string, request = Buffer.alloc(0)): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      start(method, request, (error, response) =>
        error === null ? resolve(response ?? Buffer.alloc(0)) : reject(error),
      );
    });
  const failure = (method: string, message = ""): Promise<grpc.ServiceError> =>
    call(method, Buffer.from(message)).then(
      () => assert.fail("It succeeded."),
      (error: unknown) => error as grpc.ServiceError,
    );

  for (const length of [0, 1, 20_000, 5_000_000]) {
    it(`receives and sends ${length} bytes`, async () => {
      const request = Buffer.alloc(length, "content ");
      assert.ok(request.equals(await call("Echo", request)));
    });
  }

  it("answers more calls at once than Node.js would allow a stranger", async () => {
    const request = Buffer.alloc(50_000, 1);
    const responses = await Promise.all(Array.from({ length: 500 }, () => call("Echo", request)));
    assert.ok(responses.every((response) => response.equals(request)));
  });

  for (const message of ["refused", "für 100% of “them”\nand 🙂", ""]) {
    it(`sends an error: ${JSON.stringify(message)}`, async () => {
      const { code, details, metadata } = await failure("Fail", message);
      assert.deepEqual([code, details], [grpc.status.UNKNOWN, message]);
      assert.deepEqual(metadata.get("grpc-status-details-bin"), []);
    });
  }

  it("sends an error that is thrown before there is a promise", async () => {
    assert.equal((await failure("Throw")).details, "at once");
  });

  it("sends the details of an error", async () => {
    const { metadata } = await failure("Fail", "details");
    assert.deepEqual(metadata.get("grpc-status-details-bin"), [Buffer.of(0, 255)]);
  });

  it("implements nothing else", async () => {
    for (const method of ["Other", "constructor"]) {
      assert.equal((await failure(method)).code, grpc.status.UNIMPLEMENTED);
    }
  });

  it("aborts a call whose caller has cancelled it", async () => {
    const waiting = once(arrivals, "waiting");
    const cancelled = start("Wait", Buffer.alloc(0), () => undefined);
    await waiting;
    const aborted = once(arrivals, "aborted");
    cancelled.cancel();
    await aborted;
  });

  it("says that it understands no compressed messages", async () => {
    const compressed = new grpc.Client(
      client.getChannel().getTarget().replace("dns:", ""),
      grpc.credentials.createInsecure(),
      {
        "grpc.default_compression_algorithm": grpc.compressionAlgorithms.gzip,
      },
    );
    const error = await new Promise<grpc.ServiceError | null>((resolve) => {
      compressed.makeUnaryRequest("/test.Service/Echo", same, same, Buffer.alloc(1000), (failed) =>
        resolve(failed),
      );
    });
    compressed.close();
    assert.equal(error?.code, grpc.status.UNIMPLEMENTED);
    assert.match(error.details, /gzip/);
  });
});
