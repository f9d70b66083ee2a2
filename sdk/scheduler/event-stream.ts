/** What it takes to read the event stream, in one module to be loaded when it is read. */
export { awaitEvent } from "./await-event";
export { connectToScheduler } from "./connection";
export { followEvents } from "./follow";
export { isMeant } from "./translation";
