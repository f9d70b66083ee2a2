import { nothingIsNull } from "../../resource/canonical";
import { decodeLdif } from "./template/base64";

/** LDIF is the same as base64 and plain, with any line ends, and with any white space around it. */
export const ldif = nothingIsNull((value) =>
  typeof value === "string" ? (decodeLdif(value) ?? value).replace(/\r\n?/g, "\n").trim() : value,
);
