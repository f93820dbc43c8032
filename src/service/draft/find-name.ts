import { findClosestName } from '../closest-name.ts'
import type { ProjectNames, Property } from './question.ts'
import type { Word } from './split-words.ts'
import { matchWords } from './split-words.ts'

/** A name of the project that words mean. */
export interface FoundName<Name> {
  readonly name: Name
  /** Number of words. */
  readonly count: number
  /** Whether the words are not simply the name: another spelling, form or word. */
  readonly isCorrected: boolean
}

/** Longest name, in words. */
const MAX_NAME_WORDS = 5

/** What people say for properties that agents set. The first one that the project has is meant. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  country: ['$geoip_country_name', '$geoip_country_code'],
  city: ['$geoip_city_name'],
  continent: ['$geoip_continent_name', '$geoip_continent_code'],
  page: ['$pathname', '$current_url'],
  url: ['$current_url'],
  path: ['$pathname'],
  device: ['$device_type'],
  operatingsystem: ['$os'],
  source: ['utm_source', '$referring_domain'],
  campaign: ['utm_campaign'],
  domain: ['$host'],
  session: ['$session_id'],
}

/** Finds the event that some words name as a whole; null if it is none. */
export const findEvent = (words: readonly Word[], { events }: ProjectNames): FoundName<string> | null => {
  const text = words.map((word) => word.text).join(' ')
  const exact = findSame(text, events)
  if (exact !== null) return { name: exact, count: words.length, isCorrected: exact !== text }
  const closest = findClosestName(text, events)
  return closest === null ? null : { name: closest, count: words.length, isCorrected: true }
}

/** The event whose name some words are as a whole, except for case, separators and endings; null if it is none. */
export const findExactEvent = (words: readonly Word[], { events }: ProjectNames): string | null =>
  findSame(words.map((word) => word.text).join(' '), events)

/** Finds the property that the first words name: the longest name, then a word for it, then the closest name. */
export const findProperty = (words: readonly Word[], names: ProjectNames): FoundName<Property> | null => {
  const owner = matchWords(words, /(?:the )?(?:(event|person|user)(?:'s)? propert(?:y|ies)|(person|user)(?:'s|s'))/)
  const article = owner === null ? matchWords(words, /the|their|its|his|her|a/) : null
  const skipped = owner?.count ?? article?.count ?? 0
  const kind = owner === null ? null : owner.groups[0] === 'event' ? 'event' : 'person'
  const found = findAfterOwner(words.slice(skipped), names, kind)
  if (found !== null) return { ...found, count: found.count + skipped }
  return skipped > 0 && words.length > 0 ? findAfterOwner(words, names, null) : null
}

const findAfterOwner = (
  words: readonly Word[],
  names: ProjectNames,
  kind: 'event' | 'person' | null,
): FoundName<Property> | null => {
  const [first] = words
  if (first === undefined) return null
  const lists = (['event', 'person'] as const)
    .filter((owner) => kind === null || kind === owner)
    .map((owner) => ({ owner, list: owner === 'event' ? names.eventProperties : names.personProperties }))
  const lookUp = (look: (list: readonly string[]) => string | null): Property | null => {
    for (const { owner, list } of lists) {
      const name = look(list)
      if (name !== null) return { name, owner }
    }
    return null
  }
  const quote = words.findIndex(({ isQuoted }) => isQuoted)
  const longest = first.isQuoted ? 1 : Math.min(MAX_NAME_WORDS, words.length, quote === -1 ? words.length : quote)
  for (let count = longest; count > 0; count--) {
    const text = writePlain(words.slice(0, count))
    const same = lookUp((list) => findSame(text, list))
    if (same !== null) return { name: same, count, isCorrected: same.name !== text }
  }
  if (kind === null && !first.isQuoted && /^events?(?: names?)?$/i.test(first.text))
    return { name: { name: 'event', owner: 'column' }, count: 1, isCorrected: false }
  for (let count = Math.min(longest, 2); count > 0; count--) {
    const word = simplify(writePlain(words.slice(0, count)))
    const wanted = ALIASES[word] ?? ALIASES[word.replace(/ies$/, 'y').replace(/s$/, '')] ?? []
    const alias = lookUp((list) => wanted.find((name) => list.includes(name)) ?? null)
    if (alias !== null) return { name: alias, count, isCorrected: true }
  }
  for (let count = Math.min(longest, 2); count > 0; count--) {
    const text = writePlain(words.slice(0, count))
    const closest = lookUp((list) => (text.length < 3 ? null : findClosestName(text, list)))
    if (closest !== null) return { name: closest, count, isCorrected: true }
  }
  return null
}

const writePlain = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')

const simplify = (text: string): string => text.toLowerCase().replaceAll(/[\s_$-]/g, '')

/** A word without the ending of its form: `purchases`, `purchased` and `purchase` have the same. */
const stem = (word: string): string =>
  word.length < 4 ? word.replace(/(?<=..)s$/, '') : word.replace(/(?:ies|es|ed|ing|s|e|y)$/, '')

const stemAll = (text: string): string =>
  text
    .toLowerCase()
    .split(/[\s_$-]+/)
    .filter((word) => word !== '')
    .map(stem)
    .join('')

const findSame = (text: string, names: readonly string[]): string | null => {
  if (names.includes(text)) return text
  const plain = simplify(text)
  const stems = stemAll(text)
  return (
    names.find((name) => simplify(name) === plain && plain !== '') ??
    names.find((name) => stems !== '' && (stemAll(name) === stems || stem(simplify(name)) === stem(plain))) ??
    null
  )
}

/** A list of names for an error: the first few. */
export const writeSomeNames = (names: readonly string[]): string =>
  names.length === 0
    ? 'none'
    : `${names
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(', ')}${names.length > 5 ? ', …' : ''}`
