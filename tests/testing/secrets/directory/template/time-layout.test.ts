import assert from "node:assert/strict";
import { formatTime } from "../../../../../sdk/testing/secrets/directory/template/time-layout";

const afternoon = new Date(Date.UTC(2024, 1, 9, 15, 4, 5, 120));
const midnight = new Date(Date.UTC(2023, 11, 31, 0, 0, 0, 0));

// What the layouts' own implementation makes of them.
const layouts: readonly [Date, string, string][] = [
  [afternoon, "2006-01-02T15:04:05Z07:00", "2024-02-09T15:04:05Z"],
  [afternoon, "20060102150405", "20240209150405"],
  [afternoon, "2006_01_02", "2024_02_09"],
  [afternoon, "02/01/2006", "09/02/2024"],
  [afternoon, "Jan _2 06 03:04PM Mon MST -0700 .000", "Feb  9 24 03:04PM Fri UTC +0000 .120"],
  [afternoon, "05.000 05.999999", "05.120 05.12"],
  [afternoon, "Monday January 1 2 3 4 5 pm 002 __2", "Friday February 2 9 3 4 5 pm 040  40"],
  [afternoon, "-07:00 Z0700", "+00:00 Z"],
  [afternoon, "Month Money Janet", "Month Money Janet"],
  [afternoon, "05.00 5,9", "05.12 5,1"],
  [midnight, "3:04 PM, 2 Jan", "12:00 AM, 31 Dec"],
  [midnight, "05.999 002 pm", "00 365 am"],
];

describe("a layout of times", () => {
  for (const [time, layout, text] of layouts) {
    it(`${JSON.stringify(layout)} shows ${JSON.stringify(text)}`, () => {
      assert.equal(formatTime(time, layout), text);
    });
  }
});
