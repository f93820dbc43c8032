import type { Leveled } from './order-by-level.ts'
import { orderByLevel } from './order-by-level.ts'
import { readLevels } from './read-levels.ts'
import { splitClusters } from './split-clusters.ts'

/** A part of a line that has one font and one direction. */
export interface Run<Font> {
  /** In the order of reading. */
  readonly text: string
  /** Null: no font has these characters. */
  readonly font: Font | null
  readonly isRightToLeft: boolean
}

/** The direction of a whole text, whatever its letters are. */
export type Direction = 'left-to-right' | 'right-to-left'

interface LeveledRun<Font> extends Run<Font>, Leveled {}

/**
 * Splits a line into runs from left to right, as they are seen. The renderer shapes each run with its font alone: it would shape
 * mixed text with each font in turn, and gives up when these make different numbers of glyphs of it.
 *
 * @param findFont The font for a cluster of characters, null for none.
 * @param direction Of all characters. Default: each by the Unicode Bidirectional Algorithm, as if the line were a paragraph.
 */
export const splitRuns = <Font>(
  line: string,
  findFont: (cluster: string) => Font | null,
  direction?: Direction,
): readonly Run<Font>[] => {
  const levels =
    direction === undefined
      ? readLevels(line).levels
      : new Uint8Array(line.length).fill(direction === 'right-to-left' ? 1 : 0)
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
  return orderByLevel(runs).map(({ text, font, isRightToLeft }) => ({ text, font, isRightToLeft }))
}
