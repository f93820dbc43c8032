import type { JsonObject } from '../../../wire/json.ts'
import type { RequestAddresses } from '../../geo/request-addresses.ts'
import type { Evaluated } from './evaluated.ts'

/** Evaluates the flags of a project for the person in a request. Throws `Refusal`. */
export type Decide = (call: DecideCall) => Promise<Evaluated>

/** A request for flags, as it arrives. */
export interface DecideCall extends RequestAddresses {
  readonly projectId: number
  readonly body: JsonObject
}
