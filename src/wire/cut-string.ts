/** The first characters (UTF-16 code units) of a string, without a half of a surrogate pair at the end. */
export const cutString = (string: string, length: number): string =>
  string.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
