import type { ItemRules } from '../../../../insight/question/paths.ts'
import { quoteString } from '../../../../sql/quote.ts'
import { escapePattern, ID_PATTERN, MAX_PATH_BYTES } from '../../question/item-patterns.ts'

/** A SELECT of the column `value`, and of others that stay. */
interface NamedSelect {
  readonly select: string
  readonly others: readonly string[]
}

/**
 * Writes the SELECT with a further column `item`: what the rules make of the value. Items that do not count are among them. Each step is
 * a SELECT of its own, so that nothing is computed twice.
 */
export const writeNaming = (
  { select, others }: NamedSelect,
  { replacesIds, groupings }: Pick<ItemRules, 'replacesIds' | 'groupings'>,
): string => {
  const columns = [...others, 'value'].join(', ')
  const named = replacesIds ? replaceIds(select, columns) : `SELECT ${columns}, value AS item FROM (${select})`
  if (groupings.length === 0) return named
  const cases = groupings.map((glob) => `WHEN ${writeGlobTest('item', glob)} THEN ${quoteString(glob)}`)
  return `SELECT ${columns}, CASE ${cases.join(' ')} ELSE item END AS item FROM (${named})`
}

/** Replaces ids between two slashes, or after the last one, in what is before `?` and `#`. */
const replaceIds = (select: string, columns: string): string => {
  const divided = `SELECT ${columns}, regexp_extract(value, '^[^?#]*') AS place FROM (${select})`
  const hasIds = `strlen(place) <= ${MAX_PATH_BYTES} AND regexp_matches(place, '/(?:${ID_PATTERN})(?:/|$)')`
  const segment = `CASE WHEN number > 1 AND regexp_full_match(segment, '${ID_PATTERN}') THEN ':id' ELSE segment END`
  const replaced = `array_to_string(list_transform(string_split(place, '/'), lambda segment, number: ${segment}), '/')`
  return (
    `SELECT ${columns}, CASE WHEN ${hasIds} THEN ${replaced} || value[length(place) + 1:] ELSE value END AS item ` +
    `FROM (${divided})`
  )
}

/** SQL for whether a text matches a glob as a whole: `*` is any text, also an empty one. */
const writeGlobTest = (text: string, glob: string): string => {
  const [first = '', ...others] = glob.split('*')
  const last = others.at(-1)
  if (last === undefined) return `${text} = ${quoteString(first)}`
  const ends = [
    ...(first === '' ? [] : [`starts_with(${text}, ${quoteString(first)})`]),
    ...(last === '' ? [] : [`ends_with(${text}, ${quoteString(last)})`]),
  ]
  if (others.length > 1) {
    const pattern = glob.split('*').map(escapePattern).join('.*')
    ends.push(`regexp_full_match(${text}, ${quoteString(pattern)}, 's')`)
  } else if (ends.length === 2) ends.push(`strlen(${text}) >= ${Buffer.byteLength(first + last)}`)
  return ends.length === 0 ? 'TRUE' : `(${ends.join(' AND ')})`
}
