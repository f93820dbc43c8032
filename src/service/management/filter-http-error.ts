import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import type { Json } from '../../wire/json.ts'

/** The response to a request with a filter that cannot be applied. */
const toFilterHttpError = (error: FilterError): HttpError => {
  // The parameters of a list are fields of a query.
  const path = error.path.replace(/^query\./, '')
  return badRequest('invalid_filter', `"${path}"${error.message.slice(error.path.length)}.`, path, error)
}

/** Parses filters of a request. Throws `HttpError` (400) where the parser throws `FilterError`. */
export const parseRequestFilters = <Parsed>(parse: () => Parsed): Parsed => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof FilterError ? toFilterHttpError(error) : error
  }
}

/** Parses a parameter that is JSON. Throws `HttpError` (400). */
export const parseJsonParameter = (text: string | undefined, name: string): Json | undefined => {
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw badRequest('invalid_json', `"${name}" must be JSON.`, name, error)
  }
}
