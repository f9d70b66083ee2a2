import { writeFileSync } from "node:fs";
import { permissionFiles } from "./files";

void permissionFiles().then((files) => files.forEach((text, file) => writeFileSync(file, text)));
