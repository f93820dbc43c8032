/** Between the lines of a string from any system. */
export const LINE_END = /\r\n|[\n\r\u2028\u2029]/
