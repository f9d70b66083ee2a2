import { boolean, content, double, integer, message, messages, struct, text, texts } from "../engine/wire";

// The messages of `pulumirpc.ResourceProvider`, with the fields that the plugin uses.

export const checkRequest = message({ urn: text(1), olds: struct(2), news: struct(3) });
export const checkResponse = message({
  inputs: struct(1),
  failures: messages(2, message({ property: text(1), reason: text(2) })),
});

export const diffRequest = message({
  id: text(1),
  urn: text(2),
  olds: struct(3),
  news: struct(4),
  oldInputs: struct(6),
});
export const diffChanges = { none: 1, some: 2 } as const;
export const changeKinds = {
  ADD: 0,
  ADD_REPLACE: 1,
  DELETE: 2,
  DELETE_REPLACE: 3,
  UPDATE: 4,
  UPDATE_REPLACE: 5,
} as const;
export const propertyDiff = message({ kind: integer(1), isOfInputs: boolean(2) });
export const diffResponse = message({
  replaces: texts(1),
  deleteBeforeReplace: boolean(3),
  changes: integer(4),
  /** A map, which is a list of entries on the wire; `difference` is a {@link propertyDiff}. */
  detailedDiff: messages(6, message({ path: text(1), difference: content(2) })),
  hasDetailedDiff: boolean(7),
});

export const configureRequest = message({ args: struct(2) });
export const configureResponse = message({ acceptsSecrets: boolean(1), supportsPreview: boolean(2) });

export const createRequest = message({
  urn: text(1),
  properties: struct(2),
  timeout: double(3),
  preview: boolean(4),
});
export const createResponse = message({ id: text(1), properties: struct(2) });

export const readRequest = message({
  id: text(1),
  urn: text(2),
  properties: struct(3),
  inputs: struct(4),
  timeout: double(10),
});
export const readResponse = message({ id: text(1), properties: struct(2), inputs: struct(3) });

export const updateRequest = message({
  id: text(1),
  urn: text(2),
  olds: struct(3),
  news: struct(4),
  timeout: double(5),
  ignoreChanges: texts(6),
  preview: boolean(7),
  oldInputs: struct(8),
});
export const updateResponse = message({ properties: struct(1) });

export const deleteRequest = message({
  id: text(1),
  urn: text(2),
  properties: struct(3),
  timeout: double(4),
  oldInputs: struct(5),
});

export const invokeRequest = message({ token: text(1), args: struct(2) });
export const invokeResponse = message({ returned: struct(1) });

export const pluginInfo = message({ version: text(1) });
export const schemaResponse = message({ schema: text(1) });
/** `google.protobuf.Empty`. */
export const empty = message({});

/** `pulumirpc.ErrorResourceInitFailed`: an object that exists although its creation or update failed. */
export const initFailed = message({ id: text(1), properties: struct(2), reasons: texts(3) });
/** `google.rpc.Status`, with details of any type. */
export const callStatus = message({
  code: integer(1),
  message: text(2),
  details: messages(3, message({ type: text(1), value: content(2) })),
});
