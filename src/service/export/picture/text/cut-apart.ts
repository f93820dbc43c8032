import { cleanText } from './clean-text.ts'
import type { Ruler, TextStyle } from './ruler.ts'
import { splitClusters } from './split-clusters.ts'

/** A label with its room. */
export interface LabelRoom {
  readonly text: string
  /** Pixels. */
  readonly maxWidth: number
}

/** What is behind it is a path, which shows by its slash that the origin is left out. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]+$/i

/** Most labels that are compared; of more, none can be read. */
const MAX_PARTED = 200

const IN_WORD = /^[\p{L}\p{M}\p{N}]/u

/**
 * Cuts labels to their rooms, at the end. Different labels that would look the same then, such as URLs of a site, are shown without what
 * they have in common at the front, unless they would then look like others, such as the pages of another site.
 */
export const cutApart = (rooms: readonly LabelRoom[], style: TextStyle, ruler: Ruler): readonly string[] => {
  const texts = rooms.map(({ text }) => cleanText(text))
  const clusters = texts.map(splitClusters)
  const shown = texts.map((text, index) => ruler.shorten(text, style, rooms[index]!.maxWidth))

  const showFrom = (index: number, start: number): string => {
    if (clusters[index]!.length <= start) return shown[index]!
    const front = clusters[index]!.slice(0, start).join('')
    const rest = clusters[index]!.slice(start).join('').trimStart()
    return ruler.shorten(`${ORIGIN.test(front) ? '' : '…'}${rest}`, style, rooms[index]!.maxWidth)
  }

  const part = (indexes: readonly number[], left: number): void => {
    const common = countCommon(indexes.map((index) => clusters[index]!))
    const longest = clusters[indexes.find((index) => clusters[index]!.length > common) ?? -1]
    // Without one, all texts are the same.
    if (longest === undefined) return
    for (const start of [findWordStart(longest, common), common]) {
      if (start <= left) continue
      const parted = indexes.map((index) => showFrom(index, start))
      if (new Set(parted).size === 1) continue
      const isShownElsewhere = (label: string, index: number): boolean =>
        shown.some((other, place) => other === label && !indexes.includes(place) && texts[place] !== texts[index])
      if (indexes.some((index, position) => isShownElsewhere(parted[position]!, index))) continue
      for (const [position, index] of indexes.entries()) shown[index] = parted[position]!
      for (const same of groupSame(indexes, shown)) part(same, start)
      return
    }
  }

  if (rooms.length <= MAX_PARTED) for (const same of groupSame([...texts.keys()], shown)) part(same, 0)
  return shown
}

/** How many characters all begin with. */
const countCommon = (all: readonly (readonly string[])[]): number => {
  const [first = [], ...others] = all
  const different = first.findIndex((cluster, index) => others.some((other) => other[index] !== cluster))
  return different < 0 ? first.length : different
}

/** Where a word begins, or the sign before it other than a space, at a place or before it. */
const findWordStart = (clusters: readonly string[], place: number): number => {
  let start = place
  while (start > 0 && IN_WORD.test(clusters[start]!)) start -= 1
  return start < place && clusters[start] === ' ' ? start + 1 : start
}

const groupSame = (indexes: readonly number[], shown: readonly string[]): readonly (readonly number[])[] => {
  const groups = new Map<string, number[]>()
  for (const index of indexes) {
    const group = groups.get(shown[index]!)
    if (group === undefined) groups.set(shown[index]!, [index])
    else group.push(index)
  }
  return [...groups.values()].filter((group) => group.length > 1)
}
