/** Bytes that a header can carry; undici refuses others without saying whose they are. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;
