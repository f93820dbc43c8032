/** What is replaced in URLs: a number or a UUID. A regular expression. */
export const ID_PATTERN = '[0-9]+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** Longest path whose ids are replaced, in bytes: a query may make only so much of one value (`bound-values.ts`). */
export const MAX_PATH_BYTES = 8192

/** Escapes what has a meaning in a regular expression. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
