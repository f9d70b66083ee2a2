import { writeFileSync } from "node:fs";
import path from "node:path";
import { showable } from "../base/shown-text";
import { findProject, namesPlugin, type ProjectFile } from "../base/project-file";
import { pluginPath, withoutAdapter, withoutPlugin, withPlugin } from "./adapter/project-file";
import { needOfPlugin } from "./adapter/stacks";
import type { Command } from "./command";
import type { Terminal } from "./terminal";

export const usePluginCommand: Command = {
  name: "use-plugin",
  summary: "have this project's resources managed by the provider plugin",
  description: [
    "Adds the plugin of the package to Pulumi.yaml, under plugins, and sets trivium:adapter to plugin there. Comments and layout of the file are preserved. The next pulumi up moves all resources to the plugin: it makes no requests and shows no changes.",
    "The plugin supports pulumi import and the resource options import and customTimeouts, and operations are faster.",
  ],
  options: {},
  notes: [
    "The change applies to all stacks of the project; only the file is changed. To undo it, run use-dynamic.",
  ],
  run: (_options, terminal) =>
    rewrite(terminal, ({ file, text }) => {
      const found = pluginPath(path.dirname(file));
      if (found === undefined) {
        throw new Error(
          `pulumi-trivium is not installed for ${file}: run npm install pulumi-trivium in that directory.`,
        );
      }
      return Promise.resolve({
        text: withPlugin(text, found),
        done: `From the next pulumi up, the provider plugin manages the resources of this project (see ${path.basename(file)}).`,
        next: unchanged,
      });
    }),
};

export const useDynamicCommand: Command = {
  name: "use-dynamic",
  summary: "have this project's resources managed as dynamic resources, without the plugin",
  description: [
    "Removes the setting trivium:adapter from Pulumi.yaml. The next pulumi up moves all resources to the dynamic provider: it makes no requests, although it may show updates.",
    "Resources in state that the plugin has written can only be replaced and deleted with the plugin. So Pulumi.yaml names the plugin as long as the state of a stack has such resources: the command asks the Pulumi CLI for the state of all stacks. After pulumi up in each stack, run use-dynamic again: it removes the plugin from Pulumi.yaml. doctor says when no stack needs it.",
  ],
  options: {},
  notes: ["The change applies to all stacks of the project; only the file is changed."],
  run: (_options, terminal) =>
    rewrite(terminal, async ({ file, text }) => {
      const name = path.basename(file);
      const plain = withoutAdapter(text);
      const need = namesPlugin(plain) ? await needOfPlugin(terminal.interrupted) : undefined;
      return need === undefined
        ? {
            text: withoutPlugin(plain),
            next: unchanged,
            done: `The resources of this project are now dynamic resources: ${name} names no plugin.`,
          }
        : {
            text: plain,
            next: "pulumi preview shows an update of each resource that the plugin has written, and an explicit provider as created and deleted: pulumi up sends no request for that.",
            done:
              `The next pulumi up makes the resources of this project dynamic resources. ${name} still names the plugin: ${need} ` +
              "Run pulumi up in each stack, and then use-dynamic again.",
          };
    }),
};

const unchanged = "To check that nothing changes, run pulumi preview.";

async function rewrite(
  terminal: Terminal,
  change: (project: ProjectFile) => Promise<Record<"text" | "done" | "next", string>>,
): Promise<void> {
  const project = findProject(process.cwd());
  if (project === undefined) {
    throw new Error(
      `There is no Pulumi.yaml in ${process.cwd()} or its parent directories: run this command in a Pulumi project.`,
    );
  }
  const { text, done, next } = await change(project);
  if (text !== project.text) {
    writeFileSync(project.file, text);
  }
  await terminal.print(showable(done), showable(next));
}
