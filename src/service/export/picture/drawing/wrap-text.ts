import type { Ruler, TextStyle } from '../text/ruler.ts'

/** Splits a text into lines of a width. Words that are longer are cut, and so is what is left after the last line. */
export const wrapText = (
  text: string,
  style: TextStyle,
  maxWidth: number,
  maxLines: number,
  ruler: Ruler,
): readonly string[] => {
  const lines: string[] = []
  for (const paragraph of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    let line = ''
    for (const word of paragraph.split(/\s+/)) {
      const longer = line === '' ? word : `${line} ${word}`
      if (line === '' || ruler.widthOf(longer, style) <= maxWidth) line = longer
      else {
        lines.push(line)
        line = word
      }
      if (lines.length > maxLines) break
    }
    lines.push(line)
    if (lines.length > maxLines) break
  }
  const shown = lines.slice(0, maxLines)
  if (lines.length > maxLines) shown[maxLines - 1] = `${shown[maxLines - 1]!} …`
  return shown.map((line) => ruler.shorten(line, style, maxWidth))
}
