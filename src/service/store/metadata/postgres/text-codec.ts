/**
 * PostgreSQL stores every character but U+0000, which distinct ids, group keys and names may contain. It is stored as U+E000 and a digit,
 * and so is U+E000 itself, a private character that no language uses. JSON has an escape for U+0000 already.
 */
const ESCAPE = '\uE000'

// oxlint-disable-next-line no-control-regex -- U+0000 is what it looks for.
const NEEDS_ESCAPE = /[\0\uE000]/g
const ESCAPED = /\uE000([01])/g

/** The form in which PostgreSQL stores a string. */
export const encodeText = (text: string): string =>
  text.includes('\0') || text.includes(ESCAPE)
    ? text.replace(NEEDS_ESCAPE, (character) => `${ESCAPE}${character === '\0' ? 0 : 1}`)
    : text

/** The string of its stored form. */
export const decodeText = (stored: string): string =>
  stored.includes(ESCAPE)
    ? stored.replace(ESCAPED, (_escaped, digit: string) => (digit === '0' ? '\0' : ESCAPE))
    : stored
