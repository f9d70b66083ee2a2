#!/usr/bin/env node
// Not the compiled file itself: npm links a command when it installs, and in a clone nothing is compiled then.
import "../dist/command-line/main.js";
