import { LINE_END } from '../text/line-end.ts'
import type { Span, SpanStyle } from './parse-spans.ts'
import { parseSpans } from './parse-spans.ts'

/** A line of a text, which may be drawn as several. */
export interface Block {
  /** 1 to 6 for a heading, 0 for any other line. */
  readonly level: number
  /** What is in front of an item of a list; null for no item. */
  readonly marker: string | null
  /** Lists that the item is inside of. */
  readonly depth: number
  /** Empty for an empty line. */
  readonly spans: readonly Span[]
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/

/** Spaces that an item is indented by inside another one. */
const INDENT = 2
const MAX_DEPTH = 4

const PLAIN: SpanStyle = { isBold: false, isLink: false }
const BOLD: SpanStyle = { isBold: true, isLink: false }

/**
 * Parses the part of Markdown that a picture shows: headings (`#`), items of lists (`-`, `*`, `+`, `1.`), and what is bold or a link. All else is text
 * as it is written. Lines stay lines, as people see them in the field where they write the text.
 */
export const parseMarkdown = (text: string): readonly Block[] => text.split(LINE_END).map(parseLine)

const parseLine = (line: string): Block => {
  const [, signs, title] = HEADING.exec(line) ?? []
  if (signs !== undefined && title !== undefined)
    return { level: signs.length, marker: null, depth: 0, spans: parseSpans(title.trim(), BOLD) }
  const [, indent, number, item] = ITEM.exec(line) ?? []
  if (indent === undefined || item === undefined)
    return { level: 0, marker: null, depth: 0, spans: parseSpans(line.trim(), PLAIN) }
  const spaces = indent.replaceAll('\t', ' '.repeat(INDENT)).length
  const depth = Math.min(MAX_DEPTH, Math.floor(spaces / INDENT))
  return { level: 0, marker: number === undefined ? '•' : `${number}.`, depth, spans: parseSpans(item, PLAIN) }
}
