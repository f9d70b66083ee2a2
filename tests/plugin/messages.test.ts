import assert from "node:assert/strict";
import * as sdk from "@pulumi/pulumi/proto/provider_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as messages from "../../sdk/plugin/messages";

const some = Struct.fromJavaScript({ a: "b" });
const values = { a: "b" };
const bytesOf = (message: Message): Buffer => Buffer.from(message.serializeBinary());

/** Every message, as the SDK has it and as the plugin has it. */
describe("the messages of the plugin", () => {
  const received: readonly [string, { decode(bytes: Buffer): unknown }, Message, object][] = [
    [
      "CheckRequest",
      messages.checkRequest,
      new sdk.CheckRequest().setUrn("urn").setOlds(some).setNews(some).setName("name").setType("type"),
      { urn: "urn", olds: values, news: values },
    ],
    [
      "DiffRequest",
      messages.diffRequest,
      new sdk.DiffRequest()
        .setId("id")
        .setUrn("urn")
        .setOlds(some)
        .setNews(some)
        .setIgnorechangesList(["a", "b"])
        .setOldInputs(some),
      { id: "id", urn: "urn", olds: values, news: values, oldInputs: values },
    ],
    [
      "ConfigureRequest",
      messages.configureRequest,
      new sdk.ConfigureRequest().setArgs(some).setAcceptsecrets(true).setSendsOldInputs(true),
      { args: values },
    ],
    [
      "CreateRequest",
      messages.createRequest,
      new sdk.CreateRequest().setUrn("urn").setProperties(some).setTimeout(1.5).setPreview(true),
      { urn: "urn", properties: values, timeout: 1.5, preview: true },
    ],
    [
      "ReadRequest",
      messages.readRequest,
      new sdk.ReadRequest().setId("id").setUrn("urn").setProperties(some).setInputs(some).setTimeout(2),
      { id: "id", urn: "urn", properties: values, inputs: values, timeout: 2 },
    ],
    [
      "UpdateRequest",
      messages.updateRequest,
      new sdk.UpdateRequest()
        .setId("id")
        .setUrn("urn")
        .setOlds(some)
        .setNews(some)
        .setTimeout(3)
        .setIgnorechangesList(["a", "b"])
        .setPreview(true)
        .setOldInputs(some),
      {
        id: "id",
        urn: "urn",
        olds: values,
        news: values,
        timeout: 3,
        ignoreChanges: ["a", "b"],
        preview: true,
        oldInputs: values,
      },
    ],
    [
      "DeleteRequest",
      messages.deleteRequest,
      new sdk.DeleteRequest().setId("id").setUrn("urn").setProperties(some).setTimeout(4).setOldInputs(some),
      { id: "id", urn: "urn", properties: values, timeout: 4, oldInputs: values },
    ],
    [
      "InvokeRequest",
      messages.invokeRequest,
      new sdk.InvokeRequest().setTok("token").setArgs(some),
      { token: "token", args: values },
    ],
  ];
  for (const [name, type, message, content] of received) {
    it(`read ${name}`, () => {
      assert.deepEqual(type.decode(bytesOf(message)), content);
    });
  }

  const { DiffResponse, PropertyDiff } = sdk;
  const difference = messages.propertyDiff.encode({
    kind: messages.changeKinds.UPDATE_REPLACE,
    isOfInputs: true,
  });
  const diff = new DiffResponse()
    .setReplacesList(["a"])
    .setDeletebeforereplace(true)
    .setChanges(DiffResponse.DiffChanges.DIFF_SOME)
    .setHasdetaileddiff(true);
  diff
    .getDetaileddiffMap()
    .set("a[0]", new PropertyDiff().setKind(PropertyDiff.Kind.UPDATE_REPLACE).setInputdiff(true));
  const failure = { property: "a", reason: "is wrong" };
  const sent: readonly [string, Buffer, Message][] = [
    [
      "CheckResponse",
      messages.checkResponse.encode({ inputs: values, failures: [failure] }),
      new sdk.CheckResponse()
        .setInputs(some)
        .setFailuresList([new sdk.CheckFailure().setProperty("a").setReason("is wrong")]),
    ],
    [
      "DiffResponse",
      messages.diffResponse.encode({
        replaces: ["a"],
        deleteBeforeReplace: true,
        changes: messages.diffChanges.some,
        hasDetailedDiff: true,
        detailedDiff: [{ path: "a[0]", difference }],
      }),
      diff,
    ],
    [
      "ConfigureResponse",
      messages.configureResponse.encode({ acceptsSecrets: true, supportsPreview: true }),
      new sdk.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true),
    ],
    [
      "CreateResponse",
      messages.createResponse.encode({ id: "id", properties: values }),
      new sdk.CreateResponse().setId("id").setProperties(some),
    ],
    [
      "ReadResponse",
      messages.readResponse.encode({ id: "id", properties: values, inputs: values }),
      new sdk.ReadResponse().setId("id").setProperties(some).setInputs(some),
    ],
    [
      "UpdateResponse",
      messages.updateResponse.encode({ properties: values }),
      new sdk.UpdateResponse().setProperties(some),
    ],
    [
      "InvokeResponse",
      messages.invokeResponse.encode({ returned: values }),
      new sdk.InvokeResponse().setReturn(some),
    ],
    ["PluginInfo", messages.pluginInfo.encode({ version: "1.2.3" }), new PluginInfo().setVersion("1.2.3")],
    [
      "GetSchemaResponse",
      messages.schemaResponse.encode({ schema: "{}" }),
      new sdk.GetSchemaResponse().setSchema("{}"),
    ],
    [
      "ErrorResourceInitFailed",
      messages.initFailed.encode({ id: "id", properties: values, reasons: ["a", "b"] }),
      new sdk.ErrorResourceInitFailed().setId("id").setProperties(some).setReasonsList(["a", "b"]),
    ],
    [
      "Status",
      messages.callStatus.encode({ code: 2, message: "failed" }),
      new Status().setCode(2).setMessage("failed"),
    ],
  ];
  for (const [name, bytes, message] of sent) {
    it(`write ${name}`, () => {
      assert.deepEqual(bytes, bytesOf(message));
    });
  }

  it("have the SDK's numbers", () => {
    const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
    assert.deepEqual(messages.diffChanges, { none: DIFF_NONE, some: DIFF_SOME });
    assert.deepEqual({ ...messages.changeKinds }, { ...PropertyDiff.Kind });
  });
});
