import { writeFileSync } from "node:fs";
import { generateSchema, schemaFile } from "./schema";

writeFileSync(schemaFile, generateSchema());
