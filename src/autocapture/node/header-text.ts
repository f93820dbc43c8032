/** What is longer is cut off: whoever asks could fill the store with it. The length is the protocol's (its Node SDK's, too). */
const MAX_LENGTH = 1_000

/** C0, DEL and C1. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g

/** A request's headers: Node's record, or one of somebody else's making, whose names may have any case. */
export type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>

/** A request, as far as its headers go. */
export interface Headed {
  readonly headers: HeaderRecord
  /** Names and values by turns, as they came: requests of Node's kind have them. */
  readonly rawHeaders?: readonly string[] | undefined
}

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

/** What Node puts between the values of a header that came several times. */
const JOINT = ', '

/**
 * What a header's record has, or all values of one that Node has joined: a page's id and that of a proxy would make a third, of nobody. A text that
 * came as one stays one, for ids may hold commas; so does one of which it cannot be told.
 *
 * @param name In lower case, as Node has all names.
 */
export const headerOf = ({ headers, rawHeaders }: Headed, name: string): unknown => {
  const value = headers[name] ?? otherwiseWritten(headers, name)
  if (!rawHeaders || typeof value !== 'string' || !value.includes(JOINT)) return value
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && isNamed(rawHeaders[at - 1]!, name))
  // Whoever has changed the record since knows better.
  return values.join(JOINT) === value ? values : value
}

const otherwiseWritten = (headers: HeaderRecord, name: string): unknown => {
  const given = Object.keys(headers).find((other) => isNamed(other, name))
  return given && headers[given]
}

const isNamed = (other: string, name: string): boolean => other.length === name.length && other.toLowerCase() === name
