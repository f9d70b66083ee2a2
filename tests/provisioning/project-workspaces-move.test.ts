import assert from "node:assert/strict";
import { moveWorkspaces } from "../../sdk/provisioning/project-workspaces";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.moveWorkspaces", () => {
  const emulator = useEmulator();
  let projectId: string;

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    projectId = emulator.provisioning.addProject({ organization: "acme", name: "payments" }).id;
  });

  const add = (): string => emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  const inside = (): string[] =>
    emulator
      .inspect()
      .provisioning.workspaces.filter((workspace) => workspace.projectId === projectId)
      .map(({ id }) => id);

  it("moves them in one request, each once", async () => {
    const [first, second] = [add(), add()];
    await moveWorkspaces({ projectId, workspaceIds: [first, second, first] });
    assert.deepEqual(inside(), [first, second]);
    const [request] = emulator.journal.requests();
    assert.deepEqual(request?.body, {
      data: [
        { type: "workspaces", id: first },
        { type: "workspaces", id: second },
      ],
    });
    assert.equal(request.headers["content-type"], "application/vnd.api+json");
  });

  it("makes no request for none", async () => {
    await moveWorkspaces({ projectId, workspaceIds: [] });
    assert.equal(emulator.journal.count(), 0);
  });

  it("moves none when one cannot be moved, and lists them", async () => {
    const id = add();
    const error = await failure(moveWorkspaces({ projectId, workspaceIds: [id, "ws-nobody"] }));
    assert.match(error.message, /^Could not move 2 workspaces into the project /);
    assert.match(error.hint ?? "", new RegExp(`^No workspace was moved: .* Requested: ${id}, ws-nobody\\.$`));
    assert.deepEqual(inside(), []);
  });

  it("ends when it is cancelled", async () => {
    const signal = AbortSignal.abort();
    await failure(moveWorkspaces({ projectId, workspaceIds: [add()] }, { signal }));
    assert.deepEqual(inside(), []);
  });
});
