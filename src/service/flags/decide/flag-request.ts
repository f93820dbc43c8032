import type { JsonObject } from '../../../wire/json.ts'
import type { RequestIps } from '../../geo/read-request-ips.ts'
import type { DecideResult } from './decide-result.ts'

/** Evaluates the flags of a project for the person in a request. Throws `HttpError`. */
export type Decide = (request: FlagRequest) => Promise<DecideResult>

/** A request for flags; its body is not checked yet. */
export interface FlagRequest extends RequestIps {
  readonly projectId: number
  readonly body: JsonObject
}
