/** What is longer is cut off: whoever asks could fill the store with it. The length is the protocol's (its Node SDK's, too). */
const MAX_LENGTH = 1_000

/** C0, DEL and C1. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g

/** A request's headers: Node's record, or one of somebody else's making, whose names may have any case. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * What a header says, the first where it came several times: without control characters and outer spaces; undefined where nothing is left.
 */
export const headerText = (value: unknown): string | undefined => {
  for (const text of [value].flat()) {
    const clean = typeof text === 'string' && text.replace(CONTROL_CHARACTERS, '').trim().slice(0, MAX_LENGTH).trimEnd()
    if (clean) return clean
  }
  return undefined
}

/** @param name In lower case, as Node has all names. */
export const headerOf = (headers: HeaderRecord, name: string): unknown => {
  if (headers[name] !== undefined) return headers[name]
  const given = Object.keys(headers).find((other) => other.length === name.length && other.toLowerCase() === name)
  return given && headers[given]
}
