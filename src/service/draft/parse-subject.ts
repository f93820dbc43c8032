import { DraftError } from './draft-error.ts'
import type { FoundName } from './find-name.ts'
import { findEvent, findExactEvent, findProperty, writeSomeNames } from './find-name.ts'
import type { Measure, ProjectNames, Property, Statistic } from './question.ts'
import type { Word } from './split-words.ts'
import { matchWords, quoteWords, writeWords } from './split-words.ts'

/** What is measured, of which event, with the words that name them. */
export interface Subject {
  readonly measure: Measure
  readonly property: { readonly found: FoundName<Property>; readonly words: readonly Word[] } | null
  /** Null for all events. */
  readonly event: { readonly found: FoundName<string>; readonly words: readonly Word[] } | null
}

/** Politeness and verbs before what is asked for. */
const OPENING =
  /(?:please|show|give|tell|me|us|what|which|what's|is|are|was|were|the|a|an|get|list|display|chart|plot|draw|graph|find|compute|calculate|i|we|want|need|to|know|see|can|could|you|would|like|and|trend|of|my|our|in|on)/

const PERSONS =
  /(?:how many|(?:total )?(?:number|count) of|count(?: of)?|count the)? ?(?:the )?(?:(?:unique|distinct|different|individual|active|identified) )*(?:persons?|people|users?|visitors?|customers?|members?|individuals)/
const TIMES =
  /how (?:many times|often)|how many|(?:the )?(?:total )?(?:number|count) of(?: times)?|count(?: of)?(?: the)?|total number of/

const STATISTICS: readonly (readonly [RegExp, Statistic])[] = [
  [/(?:how much|(?:total|sum|summed|add up)(?: of)?(?: the| all)?(?: sum of)?)/, 'sum'],
  [/(?:average|mean|avg)(?: of)?(?: the)?|how (?:high|large|big) on average/, 'average'],
  [/median(?: of)?(?: the)?/, 'median'],
  [/(?:maximum|max|highest|largest|biggest|most expensive)(?: of)?(?: the)?/, 'maximum'],
  [/(?:minimum|min|lowest|smallest)(?: of)?(?: the)?/, 'minimum'],
]

/** Words around the name of an event that say nothing of their own. */
const BEFORE_EVENT = new Set(
  `who that which did do does have has had having performed perform performing made make making triggered trigger sent send fired fire
  captured with of the a an for was were is are been be event events named called times all any there we i our by from in on it get got
  doing to and someone somebody anyone people persons users visitors customers person user were , at least once total unique
  custom`.split(/\s+/),
)
const AFTER_EVENT = new Set(
  `event events happen happened happens happening occur occurred occurs were was is are there did do we have has had been captured sent
  tracked recorded get got made received total in times time by persons people users visitors customers person user user's our site
  on the website app overall altogether , and at least once each respectively do seen active count number fired triggered`.split(
    /\s+/,
  ),
)

/** Reads measure and event from the words that are no other part of the question. */
export const parseSubject = (input: readonly Word[], names: ProjectNames): Subject => {
  const words = skipOpening(input)
  const persons = matchWords(words, PERSONS)
  if (persons !== null)
    return { measure: { kind: 'persons' }, property: null, event: parseEvent(words.slice(persons.count), names) }
  const statistic = parseStatistic(words, names)
  if (statistic !== null) return statistic
  const times = matchWords(words, TIMES) ?? matchWords(words, /total/)
  return { measure: { kind: 'events' }, property: null, event: parseEvent(words.slice(times?.count ?? 0), names) }
}

const skipOpening = (words: readonly Word[]): readonly Word[] => {
  let rest = words
  for (let match = matchWords(rest, OPENING); match !== null; match = matchWords(rest, OPENING))
    rest = rest.slice(match.count)
  return rest
}

/** `average amount of "bought"`. Null if no property follows, as in `total purchases`. */
const parseStatistic = (words: readonly Word[], names: ProjectNames): Subject | null => {
  for (const [pattern, kind] of STATISTICS) {
    const match = matchWords(words, pattern)
    if (match === null || matchWords(words, /total (?:number|count) of/) !== null) continue
    const rest = words.slice(match.count)
    if (kind === 'sum' && isEvent(rest, names)) return null
    const found = findProperty(rest, names)
    if (found === null || found.name.owner === 'column') {
      if (kind === 'sum' && match.groups.length === 0 && !/^(sum|how)/i.test(words[0]!.text)) return null
      const known = [...names.eventProperties, ...names.personProperties]
      throw new DraftError(
        `There is no property ${quoteWords(rest.slice(0, 2))} to compute with. The project has ${writeSomeNames(known)}.`,
      )
    }
    return {
      measure: { kind, property: found.name },
      property: { found, words: rest.slice(0, found.count) },
      event: parseEvent(rest.slice(found.count), names),
    }
  }
  return null
}

const isEvent = (words: readonly Word[], names: ProjectNames): boolean => findExactEvent(words, names) !== null

/** Finds the event in words that name one and otherwise say nothing. */
const parseEvent = (input: readonly Word[], names: ProjectNames): Subject['event'] => {
  let words = input
  const quotes = words.filter(({ isQuoted }) => isQuoted)
  if (quotes.length > 1) throw new DraftError(`A draft counts one event, not ${writeWords(quotes)}.`)
  while (words.length > 0) {
    const exact = words.some(({ isQuoted }) => isQuoted) && words.length > 1 ? null : findExactEvent(words, names)
    if (exact !== null)
      return { found: { name: exact, count: words.length, isCorrected: exact !== writePlain(words) }, words }
    const shorter = stripOne(words)
    if (shorter === null) break
    words = shorter
  }
  if (words.length === 0) return null
  const found = words.length > 4 || (words.length > 1 && quotes.length > 0) ? null : findEvent(words, names)
  if (found !== null) return { found, words }
  throw new DraftError(
    `Cannot understand ${quoteWords(words)}: there is no event of this name. The project has ${writeSomeNames(names.events)}.`,
  )
}

/** Without one word at the start or the end that says nothing; null if there is none. */
const stripOne = (words: readonly Word[]): readonly Word[] | null => {
  const [first] = words
  const last = words.at(-1)!
  if (!first!.isQuoted && BEFORE_EVENT.has(first!.text.toLowerCase())) return words.slice(1)
  if (!last.isQuoted && AFTER_EVENT.has(last.text.toLowerCase())) return words.slice(0, -1)
  return null
}

const writePlain = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')
