const names = {
  service:
    "random truncate truncate_sha256 uppercase lowercase replace sha256 base64 unix_time unix_time_millis timestamp uuid",
  ldif: "utf16le",
  language: "and or not len index slice print println printf html js urlquery call eq ne lt le gt ge",
};

export const templateFunctions: ReadonlyMap<string, keyof typeof names> = new Map(
  (["service", "ldif", "language"] as const).flatMap((origin) =>
    names[origin].split(" ").map((name) => [name, origin] as const),
  ),
);
