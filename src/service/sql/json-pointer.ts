/** Writes the names of a property and of members inside it as a JSON Pointer (RFC 6901), which may contain any character. */
export const writeJsonPointer = (names: readonly string[]): string =>
  names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
