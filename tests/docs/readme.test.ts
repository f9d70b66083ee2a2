import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/packed-library";

describe("README.md", () => {
  const lines = readFileSync(join(repository, "README.md"), "utf8").trimEnd().split("\n");

  it("names the products in its first twelve lines", () => {
    const beginning = lines.slice(0, 12).join("\n");
    for (const product of ["HCP Terraform", "Terraform Enterprise", "Vault", "OpenBao", "Nomad"]) {
      assert.ok(beginning.includes(product), product);
    }
  });

  it("is short", () => {
    assert.ok(lines.length <= 180, `${lines.length} lines`);
  });

  it("links every guide", () => {
    const text = lines.join("\n");
    const guides = readdirSync(join(repository, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "index.md",
    );
    assert.ok(guides.length > 0);
    assert.deepEqual(
      guides.filter((name) => !text.includes(`](docs/${name})`)),
      [],
    );
  });
});
