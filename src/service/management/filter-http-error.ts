import { badRequest } from '../http-error.ts'
import type { HttpError } from '../http-error.ts'
import type { FilterError } from '../insight/filter/filter-error.ts'

/** The response to a request with a filter that cannot be applied. */
export const toFilterHttpError = (error: FilterError): HttpError =>
  badRequest('invalid_filter', `"${error.path}"${error.message.slice(error.path.length)}.`, error.path, error)
