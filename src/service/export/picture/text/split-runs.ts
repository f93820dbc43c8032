import createBidi from 'bidi-js'
import { splitClusters } from './split-clusters.ts'

/** A part of a line that has one font and one direction. */
export interface Run<Font> {
  /** In the order of reading. */
  readonly text: string
  /** Null: no font has these characters. */
  readonly font: Font | null
  readonly isRightToLeft: boolean
}

interface LeveledRun<Font> extends Run<Font> {
  /** Of the Unicode Bidirectional Algorithm: odd from right to left. */
  readonly level: number
}

const bidi = createBidi()

/** Whether a line may have parts from right to left; the characters below all are from left to right or neutral. */
const MAY_TURN = /[\u0590-\u{10FFFF}]/u

const readLevels = (line: string): Uint8Array =>
  MAY_TURN.test(line) ? bidi.getEmbeddingLevels(line, 'auto').levels : new Uint8Array(line.length)

/**
 * Splits a line into runs from left to right, as they are seen. The renderer shapes each run with its font alone: it would shape
 * mixed text with each font in turn, and gives up when these make different numbers of glyphs of it.
 *
 * @param findFont The font for a cluster of characters, null for none.
 */
export const splitRuns = <Font>(line: string, findFont: (cluster: string) => Font | null): readonly Run<Font>[] => {
  const levels = readLevels(line)
  const runs: LeveledRun<Font>[] = []
  let index = 0
  for (const cluster of splitClusters(line)) {
    const font = findFont(cluster)
    const level = levels[index]!
    const last = runs.at(-1)
    if (last?.font === font && last.level === level) runs[runs.length - 1] = { ...last, text: last.text + cluster }
    else runs.push({ text: cluster, font, level, isRightToLeft: level % 2 === 1 })
    index += cluster.length
  }
  return reorder(runs).map(({ text, font, isRightToLeft }) => ({ text, font, isRightToLeft }))
}

/** Rule L2: from the highest level to the lowest odd one, reverses all sequences of runs at that level or above. */
const reorder = <Font>(runs: readonly LeveledRun<Font>[]): readonly LeveledRun<Font>[] => {
  const ordered = [...runs]
  const highest = Math.max(0, ...runs.map(({ level }) => level))
  for (let level = highest; level > 0; level -= 1) {
    let start = 0
    while (start < ordered.length) {
      let end = start
      while (end < ordered.length && ordered[end]!.level >= level) end += 1
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed())
      start = end + 1
    }
  }
  return ordered
}
