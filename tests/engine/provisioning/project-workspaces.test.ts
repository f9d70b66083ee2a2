import assert from "node:assert/strict";
import { projectWorkspaces } from "../../cases/provisioning/project-workspaces";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle(projectWorkspaces, {
  finally: {
    "has moved workspaces in one request for each change, and only those that had to": ({
      emulator,
      workspaces,
    }) => {
      assert.ok(emulator);
      const moves = emulator.journal.requests({
        method: "POST",
        path: "/api/v2/projects/:id/relationships/workspaces",
      });
      assert.deepEqual(
        moves.map(({ body }) =>
          (body as { data: { id: string }[] }).data.map(({ id }) => workspaces.indexOf(id)),
        ),
        [
          [0, 1],
          [2],
          [0, 2],
          [1],
          // Renamed twice and replaced by hand, it makes sure, and takes nothing away; then it is destroyed.
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 2],
        ],
      );
    },
  },
});
