import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import { configFields, readConfig } from "./config-form";
import type { DirectoryConfigRecord } from "./config-record";
import { toConfigResource } from "./config-resource";
import type { EngineStates } from "./engine-state";

export interface DirectoryConfigInspection {
  /** The configurations, one for each mount that has one. */
  readonly directoryConfigs: readonly (DirectoryConfigRecord & MountPath)[];
}

/** Works behind a program's back. The mount is the one from the start unless another is given. */
export interface DirectoryConfigSetup {
  /**
   * Changes what is given; the rules of the interface are not applied.
   *
   * @throws Error when there is no configuration
   */
  changeDirectoryConfig(change: Partial<DirectoryConfigRecord>, mount?: string): DirectoryConfigRecord;
  removeDirectoryConfig(mount?: string): void;
}

/** The configuration, and the rotation of the bind account's password. */
export function createConfigArea(
  states: EngineStates,
): Area<EngineEndpoint, DirectoryConfigInspection, DirectoryConfigSetup> {
  const path = "/config";
  return {
    endpoints: [
      {
        engine: "directory",
        operation: "POST",
        path,
        fields: configFields,
        handle({ mount, fields }) {
          const state = states.of(mount);
          state.config = readConfig(fields, state.config, states.dialect);
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path,
        handle({ mount }) {
          const { config } = states.of(mount);
          if (config === undefined) {
            throw notFound();
          }
          return dataAnswer(toConfigResource(config, states.dialect));
        },
      },
      {
        engine: "directory",
        operation: "DELETE",
        path,
        handle({ mount }) {
          states.of(mount).config = undefined;
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "POST",
        path: "/rotate-root",
        handle({ mount }) {
          const state = states.of(mount);
          const bindpass = states.session(state, "the config is currently unset").rotateOwn();
          if (state.config !== undefined) {
            const lastBindPasswordRotation = states.records.now();
            state.config = { ...state.config, bindpass, lastBindPasswordRotation };
          }
          return noContent;
        },
      },
    ],
    setup: {
      changeDirectoryConfig(change, mount) {
        const state = states.at(mount);
        if (state.config === undefined) {
          const { path: at } = states.mountAt(mount);
          throw new Error(`The directory engine at ${JSON.stringify(at)} has no configuration.`);
        }
        state.config = { ...state.config, ...change };
        return structuredClone(state.config);
      },
      removeDirectoryConfig(mount) {
        states.at(mount).config = undefined;
      },
    },
    inspect: () => ({
      directoryConfigs: states.inspect(({ config }) => (config === undefined ? [] : [config])),
    }),
    clear: () => undefined,
  };
}
