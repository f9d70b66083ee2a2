import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";

const documents = fileURLToPath(new URL("..", import.meta.url));
const reference = join(documents, "reference");

/** What a page is called: its first heading. */
function titleOf(file) {
  return /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? file;
}

/** The pages of a namespace: its functions last. */
function pagesIn(folder) {
  const pages = readdirSync(join(reference, folder)).map((name) => ({
    text: titleOf(join(reference, folder, name))
      .replace(/^Functions of .*/, "functions")
      .split(".")
      .at(-1),
    link: `/reference/${folder}/${name.replace(/\.md$/, "")}`,
  }));
  // Classes begin with a capital letter, which comes before all others.
  return pages.toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

const namespaces = readdirSync(reference, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ text: name.replaceAll("-", "."), items: pagesIn(name) }));

/** The guides in the order in which a reader needs them. */
const guides = {
  Start: ["getting-started", "dialects", "configuration", "login", "troubleshooting", "limitations"],
  Manage: [
    "arguments-and-drift",
    "import",
    "rename-move-replace",
    "secrets-and-state",
    "plugin",
    "other-languages",
    "migrating",
    "leaving",
  ],
  Build: [
    "testing",
    "emulator",
    "components",
    "ci",
    "permissions",
    "state-and-teams",
    "automation-api",
    "compatibility",
  ],
  Functions: ["functions", "events", "webhooks"],
  Quality: ["reliability", "performance"],
};

const placed = Object.values(guides).flat();

const others = readdirSync(documents)
  .filter((name) => name.endsWith(".md") && name !== "index.md")
  .map((name) => name.replace(/\.md$/, ""))
  .filter((name) => !placed.includes(name));
if (others.length > 0) {
  throw new Error(
    `The sidebar has no place for ${others.join(" and ")}: add it to guides in .vitepress/config.mjs.`,
  );
}

/** Titles that are too long for the sidebar. */
const shortTitles = {
  dialects: "Dialects",
  migrating: "Moving from other providers",
};

function guide(name) {
  return { text: shortTitles[name] ?? titleOf(join(documents, `${name}.md`)), link: `/${name}` };
}

/** Tables of settings have long names, which would otherwise not fit beside the outline. */
const tables = `
  .vp-doc td, .vp-doc th { padding: 6px 8px; }
  .vp-doc td code { overflow-wrap: anywhere; padding: 1px 2px; font-size: 12px; }
  @media (min-width: 1340px) { .VPDoc.has-aside .content-container { max-width: 760px !important; } }
`;

export default defineConfig({
  title: "pulumi-trivium",
  description: "Pulumi resources for HCP Terraform and Terraform Enterprise, Vault and OpenBao, and Nomad.",
  lang: "en",
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: "/icon.svg" }],
    ["style", {}, tables],
  ],
  // Relative to docs; both are kept out of the repository.
  cacheDir: "../.cache/vitepress",
  outDir: "../.cache/site",
  markdown: {
    config(markdown) {
      const { rules } = markdown.renderer;
      const render = rules.code_inline;
      // What stands in braces is part of the code, not a template of the page.
      rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet("v-pre", "");
        return render(tokens, index, ...rest);
      };
    },
  },
  themeConfig: {
    search: { provider: "local", options: { detailedView: true } },
    outline: { level: [2, 3], label: "On this page" },
    nav: [
      { text: "Getting started", link: "/getting-started" },
      { text: "Dialects", link: "/dialects" },
      { text: "Reference", link: "/reference/" },
      { text: "Troubleshooting", link: "/troubleshooting" },
    ],
    sidebar: [
      ...Object.entries(guides).map(([text, names]) => ({ text, items: names.map(guide) })),
      {
        text: "Reference",
        items: [
          { text: "Overview", link: "/reference/" },
          { text: "Settings", link: "/reference/configuration" },
          { text: "Errors", link: "/reference/errors" },
          { text: "Testing", link: "/reference/testing" },
          { text: "Command line", link: "/reference/command-line" },
        ],
      },
      ...namespaces,
    ],
  },
});
