/** How many bytes `text` takes in UTF-8; a lone surrogate counts as U+FFFD, which encoders put in its place. */
export const utf8Length = (text: string): number => {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7ff) {
      bytes += 2
      // Two units of a pair make four bytes: the second one adds nothing.
      if (unit >> 10 === 0x36 && text.charCodeAt(at + 1) >> 10 === 0x37) at++
    } else if (unit > 0x7f) bytes++
  }
  return bytes
}
