import { MAX_EVENT_LEVELS, MAX_ID_CHARACTERS } from '../wire/bounds.ts'

/** How the names of ids end, and their colons. */
const END_OF_ID_NAME = /(_id|alias|_type|_key)":$/

/**
 * Whether the JSON of an event may be beyond a bound: it has a name or an id longer than `MAX_ID_CHARACTERS`, or as many objects and arrays as
 * an event may have levels. It runs for every event of a page, so it looks at few characters.
 */
export const mayExceedBounds = (json: string): boolean => {
  // Jumps to the last quote within the longest string that may be. A quote after a backslash may be part of a string.
  for (let start = 0; start + MAX_ID_CHARACTERS < json.length;) {
    let end = start + MAX_ID_CHARACTERS + 2
    do end = json.lastIndexOf('"', end - 1)
    while (end > start && json[end - 1] === '\\')
    if (end <= start) {
      // The string is long, as the value of a property may be. In `$groups` any name is that of an id.
      const isValue = json[start - 1] === ':' && !END_OF_ID_NAME.test(json.slice(start - 9, start))
      if (!isValue || json.includes('"$groups"')) return true
      do end = json.indexOf('"', end + 1)
      while (json[end - 1] === '\\')
      if (end < 0) return true
    }
    start = end
  }
  let count = 0
  for (let at = -1; (at = json.indexOf('{', at + 1)) >= 0;) count++
  for (let at = -1; (at = json.indexOf('[', at + 1)) >= 0;) count++
  return count >= MAX_EVENT_LEVELS
}
