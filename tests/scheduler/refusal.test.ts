import assert from "node:assert/strict";
import { rightsFor } from "../../sdk/scheduler/client";

const jobs = "for jobs, allocations, deployments and evaluations";

describe("rightsFor", () => {
  const table: readonly [readonly string[] | undefined, string | undefined, string][] = [
    [undefined, undefined, "a management token for all topics"],
    [["*"], undefined, "a management token for all topics"],
    [["*:web", "Node"], undefined, "node:read for nodes; a management token for all topics"],
    [["Node", "NodeDrain:n1"], "*", "node:read for nodes"],
    [["Node"], "*", "node:read for nodes"],
    [["Job"], undefined, `namespace:read-job in the namespace default ${jobs}`],
    [["Allocation", "Evaluation:e1"], "team", `namespace:read-job in the namespace team ${jobs}`],
    [["Deployment:web"], "*", `namespace:read-job in all namespaces ${jobs}`],
    [["ACLToken", "Service"], undefined, "a management token for ACLToken, Service"],
  ];
  for (const [topics, namespace, needed] of table) {
    it(`reports that ${JSON.stringify(topics)} in ${namespace ?? "no namespace"} needs ${needed}`, () => {
      const everywhere =
        namespace === "*"
          ? ' The namespace "*" requires a management token, or a policy for all namespaces.'
          : "";
      assert.equal(
        rightsFor(topics, namespace),
        `This subscription requires ${needed}.${everywhere} If one topic is not allowed, the whole subscription is rejected.`,
      );
    });
  }
});
