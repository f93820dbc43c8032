import { badRequest } from '../http-error.ts'
import type { MisspelledField } from '../fields/find-misspelled.ts'

/** Throws `HttpError` (400) for a misspelled field, if there is one: it would be ignored. */
export const refuseMisspelled = (field: MisspelledField | null): void => {
  if (field === null) return
  const { path, meant } = field
  throw badRequest('unknown_field', `"${path}" is not a field; use "${meant}".`, path)
}
