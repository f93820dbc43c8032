/**
 * Writes large properties with a line for each member, so that SQL can remove one by a regular expression. JSON has no other line breaks.
 *
 * @param members Names and values as JSON, such as `"plan":"pro"`.
 */
export const writeInLines = (members: readonly string[]): string => `{\n${members.join('\n,')}\n}`

/** Properties as they are without `writeInLines`. */
export const withoutLines = (json: string): string => (json.startsWith('{\n') ? json.replaceAll('\n', '') : json)
