/** The forms in which a result can be sent. */
export type ResultFormat = 'json' | 'csv' | 'ndjson'

/** The media types of the forms; the first one of a form is what a response says. */
export const RESULT_MEDIA_TYPES: Readonly<Record<ResultFormat, readonly [string, ...string[]]>> = {
  json: ['application/json'],
  csv: ['text/csv'],
  ndjson: ['application/x-ndjson', 'application/jsonl'],
}

/**
 * Picks the form that an `Accept` header asks for (RFC 9110): that with the highest weight, of equal ones the first. JSON if it is
 * missing, or names none of them: clients often send a list for something else.
 */
export const pickFormat = (accept: string | undefined): ResultFormat => {
  let picked: ResultFormat = 'json'
  let highest = 0
  for (const range of accept?.split(',') ?? []) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const format = formatOf(type)
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    if (format !== undefined && weight > highest) {
      picked = format
      highest = weight
    }
  }
  return picked
}

const formatOf = (type: string): ResultFormat | undefined =>
  (Object.keys(RESULT_MEDIA_TYPES) as ResultFormat[]).find(
    (format) => RESULT_MEDIA_TYPES[format].includes(type) || (format === 'json' && type === '*/*'),
  )
