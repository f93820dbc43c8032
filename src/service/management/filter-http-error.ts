import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import { FilterError } from '../insight/filter/filter-error.ts'
import type { Json } from '../../wire/json.ts'
import { checkNewFilters } from './check-new-query.ts'

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

/** Parses the parameter `properties` of a list: property filters as JSON. Throws `HttpError` (400). */
export const parseFilterParameter = (text: string | undefined): Json | undefined => {
  if (text === undefined || text === '') return undefined
  let filters: Json
  try {
    filters = JSON.parse(text) as Json
  } catch (error) {
    throw badRequest('invalid_json', '"properties" must be JSON.', 'properties', error)
  }
  checkNewFilters(filters, 'properties')
  return filters
}
