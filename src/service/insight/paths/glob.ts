/** Creates a test for texts that match a glob as a whole: `*` is any text, also an empty one. The test takes time in proportion to the text. */
export const createGlobTest = (glob: string): ((text: string) => boolean) => {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let place = first.length
    // The first occurrence of each part leaves the most text for the parts after it.
    for (const part of others) {
      const found = text.indexOf(part, place)
      if (found < 0) return false
      place = found + part.length
    }
    return place + last.length <= text.length
  }
}
