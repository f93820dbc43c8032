import type { Leveled } from '../text/order-by-level.ts'
import { orderByLevel } from '../text/order-by-level.ts'
import { splitClusters } from '../text/split-clusters.ts'
import type { Direction } from '../text/split-runs.ts'
import type { StyledLine } from './wrap-spans.ts'
import type { SpanStyle } from './parse-spans.ts'

/** A part of a line that has one style and one direction. */
export interface Part extends SpanStyle {
  /** In the order of reading, with the spaces at its ends. */
  readonly text: string
  readonly direction: Direction
}

interface LeveledPart extends Part, Leveled {}

/** Splits a line into parts from left to right, as they are seen, by the levels that its characters have in their paragraph. */
export const orderLine = ({ pieces, levels, base }: StyledLine): readonly Part[] => {
  const parts: LeveledPart[] = []
  let index = 0
  for (const { text, isSpaced, isBold, isLink } of pieces)
    for (const cluster of splitClusters(isSpaced ? ` ${text}` : text)) {
      // What a cut has added goes on in the direction of the paragraph.
      const level = levels[index] ?? base
      const last = parts.at(-1)
      if (last?.level === level && last.isBold === isBold && last.isLink === isLink)
        parts[parts.length - 1] = { ...last, text: last.text + cluster }
      else
        parts.push({
          text: cluster,
          isBold,
          isLink,
          level,
          direction: level % 2 === 1 ? 'right-to-left' : 'left-to-right',
        })
      index += cluster.length
    }
  return orderByLevel(parts)
}
