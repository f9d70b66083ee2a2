import { writeFileSync } from "node:fs";
import path from "node:path";
import { showable } from "../base/shown-text";
import { findProject, namesPlugin, programDirectory, type ProjectFile } from "../base/project-file";
import { pluginPath, withoutAdapter, withoutPlugin, withPlugin } from "./adapter/project-file";
import { needOfPlugin } from "./adapter/stacks";
import type { Command } from "./command";
import type { Terminal } from "./terminal";

export const usePluginCommand: Command = {
  name: "use-plugin",
  summary: "switch this project to the provider plugin",
  description: [
    "Adds the package's plugin to Pulumi.yaml, under plugins, and sets trivium:adapter to plugin there. The file's comments and layout are preserved. The next pulumi up moves all resources to the plugin; it does not send requests or show changes.",
    "The plugin supports pulumi import and the resource options import and customTimeouts, and operations are faster.",
  ],
  options: {},
  notes: [
    "The change applies to all stacks of the project; only the file is changed. To undo it, run use-dynamic.",
  ],
  run: (_options, terminal) =>
    rewrite(terminal, (project) => {
      const { file, text } = project;
      const found = pluginPath(project);
      if (found === undefined) {
        throw new Error(
          `pulumi-trivium is not installed for ${file}: run npm install pulumi-trivium in ${programDirectory(project)}.`,
        );
      }
      return Promise.resolve({
        text: withPlugin(text, found),
        done: `From the next pulumi up, the provider plugin manages this project's resources (see ${path.basename(file)}).`,
        next: unchanged,
      });
    }),
};

export const useDynamicCommand: Command = {
  name: "use-dynamic",
  summary: "switch this project back to dynamic resources",
  description: [
    "Removes the setting trivium:adapter from Pulumi.yaml. The next pulumi up moves all resources to the dynamic provider. It does not send requests, although it can show updates.",
    "Resources that the plugin wrote to state can only be replaced or deleted by the plugin. The command therefore reads the state of all stacks through the Pulumi CLI and keeps the plugin in Pulumi.yaml until no stack contains such resources. After pulumi up in each stack, run use-dynamic again to remove the plugin from Pulumi.yaml. doctor reports when no stack needs it.",
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
            done: `This project now uses dynamic resources, and ${name} no longer lists the plugin.`,
          }
        : {
            text: plain,
            next: "pulumi preview shows an update for each resource that the plugin wrote, and an explicit provider as created and deleted; pulumi up does not send requests for these.",
            done:
              `The next pulumi up moves this project's resources to dynamic resources. ${name} still lists the plugin: ${need} ` +
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
