/** Up to so many texts are compared one by one; more are looked up. */
const FEW = 8

/**
 * Whether a text in lower case is `lowered`. Makes no text of texts in ASCII, which is what most evaluations compare: a letter in
 * front of the first that is no ASCII stays one letter, so that the first difference decides.
 */
const isLowered = (text: string, lowered: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) return text.toLowerCase() === lowered
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== lowered.charCodeAt(at)) return false
  }
  return text.length === lowered.length
}

/** Makes the question whether a text, in lower case (full Unicode), is one of these in lower case. */
export const textSet = (texts: readonly string[]): ((text: string) => boolean) => {
  const lowered = new Set(texts.map((text) => text.toLowerCase()))
  if (lowered.size > FEW) return (text) => lowered.has(text.toLowerCase())
  const few = [...lowered]
  return (text) => {
    for (let at = 0; at < few.length; at++) if (isLowered(text, few[at]!)) return true
    return false
  }
}
