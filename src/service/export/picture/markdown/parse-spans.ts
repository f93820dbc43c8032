/** A part of a line in one style. */
export interface Span extends SpanStyle {
  readonly text: string
}

export interface SpanStyle {
  readonly isBold: boolean
  readonly isLink: boolean
}

/** `**bold**`, `__bold__`, `[text](url)` and `\*`. No part can contain its own signs, so that the time grows with the length alone. */
const MARKED = /\*\*(?=\S)([^*]+)\*\*|(?<!\w)__(?=\S)([^_]+)__(?!\w)|\[([^[\]]+)\]\(([^()\s]*)\)|\\([\\*_[\]()#+.-])/g

/** Parses the parts of a line. The URL of a link is not shown: a picture cannot be clicked. */
export const parseSpans = (line: string, style: SpanStyle): readonly Span[] => {
  const spans: Span[] = []
  const add = (text: string): void => {
    if (text !== '') spans.push({ text, ...style })
  }
  let end = 0
  for (const match of line.matchAll(MARKED)) {
    const [marked, stars, underscores, link, , escaped] = match
    add(line.slice(end, match.index))
    end = match.index + marked.length
    const bold = stars ?? underscores
    if (bold !== undefined) spans.push(...parseSpans(bold, { ...style, isBold: true }))
    else if (link !== undefined) spans.push(...parseSpans(link, { ...style, isLink: true }))
    else add(escaped!)
  }
  add(line.slice(end))
  return spans
}
