/** Names of the performance marks of a visit. */
const BEGIN = 'agent:begin'
export const END = 'agent:end'
export const FLAGS = 'agent:flags'
export const STORED = 'agent:stored'

/** A hint for the compiler counts only in the first lines. */
const FIRST_COMMENTS = /^(?:\/\/.*\n)*/

/** Adds marks to a script: before its first statement and after its last one. What is compiled before the first is not between them. */
export const markScript = (code) =>
  `${code.replace(FIRST_COMMENTS, (comments) => `${comments}performance.mark('${BEGIN}');`)}\n;performance.mark('${END}')`

/** Reads the milliseconds from the first statement of the script to the first mark of a name; undefined without that mark. */
export const readMark = (page, name) =>
  page.evaluate(
    ([begin, end]) => {
      const [from, to] = [begin, end].map((mark) => performance.getEntriesByName(mark)[0]?.startTime)
      return to === undefined ? undefined : to - from
    },
    [BEGIN, name],
  )
