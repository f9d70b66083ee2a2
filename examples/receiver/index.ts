import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parse, signatureOf, type WebhookNotification } from "pulumi-trivium/webhook";

const token = process.env.SIGNING_KEY ?? "";
if (token === "") {
  throw new Error("Set SIGNING_KEY to the token of the notification configuration.");
}

/** Handles a verified notification. */
function handle(notification: WebhookNotification): void {
  if (notification.kind === "run") {
    const { organizationName, workspaceName, runUrl, notifications } = notification;
    for (const { trigger, message } of notifications) {
      console.log(`${trigger} in ${organizationName}/${workspaceName}: ${message} (${runUrl})`);
    }
  } else if (notification.kind === "assessment") {
    const { workspaceName, trigger, newAssessmentResult } = notification;
    console.log(`${trigger} in ${workspaceName}: ${newAssessmentResult?.resourcesDrifted} drifted`);
  } else {
    console.log(notification.kind === "verification" ? "verified" : "a notification of another kind");
  }
}

/** The status of the response. The signature is computed over the raw bytes, so nothing is parsed before. */
function receive(body: Buffer, { headers }: IncomingMessage): number {
  let notification: WebhookNotification;
  try {
    notification = parse(body, { signature: signatureOf(headers), token });
  } catch (error) {
    console.error(`refused: ${error instanceof Error ? error.message : String(error)}`);
    return 401;
  }
  handle(notification);
  return 200;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  response.writeHead(receive(Buffer.concat(chunks), request)).end();
}

const server = createServer((request, response) => {
  // The request could not be read: the client has disconnected.
  respond(request, response).catch(() => response.destroy());
});
server.listen(Number(process.env.PORT ?? 8080), process.env.HOST, () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});
