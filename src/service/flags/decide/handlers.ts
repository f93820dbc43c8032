import { isRecord } from '../../../wire/json.ts'
import type { AuthenticateProject } from '../../auth/project-authenticator.ts'
import type { Config } from '../../config.ts'
import { readRequestIps } from '../../geo/read-request-ips.ts'
import { readBodyFormat } from '../../http/request-body.ts'
import type { ReadJson } from '../../http/request-body.ts'
import type { Handler, StringParams } from '../../http/route.ts'
import { readApiKey } from '../../ingest/parse-request.ts'
import { badRequest } from '../../http-error.ts'
import { commonConfigJson } from '../../remote-config/common-config-json.ts'
import { serializeDecideResponse } from './decide-response.ts'
import type { Decide } from './flag-request.ts'
import type { DecideResult } from './decide-result.ts'
import { serializeFlagsResponse } from './flags-response.ts'

/** Dependencies of the routes that evaluate flags. */
export interface FlagHandlersOptions {
  readonly config: Pick<Config, 'maxBodyBytes'>
  readonly authenticateProject: AuthenticateProject
  readonly readJson: ReadJson
  readonly decide: Decide
  readonly hasSurveys: (projectId: number) => Promise<boolean>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The body of a flag request must be smaller. Its cost grows with the length of its ids and properties times the number of flags, and
 * anyone may send one because the project API key is public.
 */
const MAX_FLAG_REQUEST_BYTES = 1024 * 1024

/** Creates the handler of `POST /decide`: flags and remote config together, for the protocol's first generation. */
export const createDecideHandler = (options: FlagHandlersOptions): Handler =>
  createHandler(options, (result, { v }, hasSurveys) => serializeDecideResponse(result, v, hasSurveys))

/** Creates the handler of `POST /flags`: flags, and with `config=true` also the remote config. */
export const createFlagsHandler = (options: FlagHandlersOptions): Handler =>
  createHandler(options, (result, { v, config }, hasSurveys) =>
    serializeFlagsResponse(result, v, config === 'true' ? commonConfigJson(hasSurveys) : ''),
  )

const createHandler =
  (
    { config: { maxBodyBytes }, authenticateProject, readJson, decide, hasSurveys, now }: FlagHandlersOptions,
    serialize: (result: DecideResult, query: StringParams, hasSurveys: boolean) => string,
  ): Handler =>
  async (request, reply) => {
    const body = await readJson(request, Math.min(maxBodyBytes, MAX_FLAG_REQUEST_BYTES), readBodyFormat(request))
    if (!isRecord(body)) throw badRequest('invalid_shape', 'The body must be a JSON object.')
    const { id } = await authenticateProject(readApiKey(body), now(), request.ip)
    const result = await decide({ projectId: id, body, ...readRequestIps(request) })
    // Unreadable metadata does not prevent flags, so the surveys must not either. `FlagSets` reports the error.
    const json = serialize(result, request.query, await hasSurveys(id).catch(() => false))
    return reply.type('application/json; charset=utf-8').send(json)
  }
