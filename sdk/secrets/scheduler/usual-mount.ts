/** Where the scheduler engine is mounted when a program does not say. */
export const usualMount = "scheduler";
