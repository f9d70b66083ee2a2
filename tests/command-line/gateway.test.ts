import assert from "node:assert/strict";
import { useEnvironment } from "../connection/environment";
import { startServer, stopServers } from "../http/server";
import { gatewayBodies } from "../support/gateway";
import { services } from "../support/proxy";
import { brief, examined, found } from "./doctor/doctor";

describe("a command behind a gateway that answers 404 for the service", function () {
  this.timeout(120_000);
  useEnvironment(() => ({}));
  afterEach(stopServers);

  for (const dialect of ["documented", "hashicorp"]) {
    for (const service of services) {
      it(`doctor does not recognize the ${service} service, in the ${dialect} dialect`, async () => {
        const name = service.toUpperCase();
        for (const { headers, body } of gatewayBodies(service)) {
          const { address } = await startServer((response) => response.writeHead(404, headers).end(body));
          Object.assign(process.env, {
            [`${name}_ADDR`]: address,
            [`${name}_TOKEN`]: "canary-of-a-token",
            [`${name}_DIALECT`]: dialect,
          });
          const report = await examined(service);
          const [status, finding] = brief(report);
          const { message, advice = "" } = found(report, "address");
          const text = `${String(body)}: ${message} ${advice}`;
          assert.equal(status, 1, text);
          assert.match(String(finding), /^problem address (?:NOT_RECOGNIZED|HTTP_404)$/, text);
          assert.match(text, /returned 404.* (?:gateway in front|proxy instead) of the service/s);
          assert.match(text, new RegExp(`[Cc]heck address \\(.*${name}_ADDR`));
          assert.doesNotMatch(text, /not exist/);
        }
      });
    }
  }
});
