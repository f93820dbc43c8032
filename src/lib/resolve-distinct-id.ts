import { idToString } from '../wire/id-to-string.ts'
import type { RequestContexts } from '../port/request-context.ts'

/** Returns the distinct id of a call: its own, or that of the request. An invalid own id gives undefined, and never the request's id. */
export const resolveDistinctId = (input: unknown, contexts: Pick<RequestContexts, 'current'>): string | undefined =>
  idToString(input ?? contexts.current()?.distinctId)
