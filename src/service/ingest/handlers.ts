import type { AuthenticateProject } from '../auth/project-authenticator.ts'
import { readBodyBytes, readBodyFormat } from '../http/request-body.ts'
import type { Handler } from '../http/route.ts'
import type { Acceptance, ReceivedRequest } from './accept-request.ts'
import type { BodyReader } from './body-reader.ts'

/** Dependencies of the ingestion routes. */
export interface IngestHandlerParts {
  readonly acceptRequest: (request: ReceivedRequest) => Promise<Acceptance>
  readonly authenticateProject: AuthenticateProject
  readonly bodyReader: Pick<BodyReader, 'inspect'>
  readonly maxBodyBytes: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The handlers of the ingestion routes. */
export interface IngestHandlers {
  /** One event, or any other shape of the protocol. */
  readonly capture: Handler
  /** A batch of events. */
  readonly batch: Handler
  /** Person updates, as old senders make them. */
  readonly engage: Handler
  /** Session recordings, which are not stored. */
  readonly recordings: Handler
}

/** Response bodies. Senders pause the data types in `quota_limited`. */
const RESPONSES: Readonly<Record<Acceptance, string>> = {
  accepted: '{"status":1}',
  quota_limited: '{"status":1,"quota_limited":["events"]}',
}

/** Makes the sender pause its recordings for a while. */
const RECORDINGS_RESPONSE = '{"status":1,"quota_limited":["recordings"]}'

/** Creates the handlers of the ingestion routes. */
export const createIngestHandlers = ({
  acceptRequest,
  authenticateProject,
  bodyReader,
  maxBodyBytes,
  now,
}: IngestHandlerParts): IngestHandlers => {
  const createHandler =
    (endpoint: ReceivedRequest['endpoint']): Handler =>
    async (request, reply) => {
      const format = readBodyFormat(request)
      const acceptance = await acceptRequest({
        body: readBodyBytes(request),
        format: endpoint === 'engage' ? { ...format, endpoint } : format,
        // With `ip=0` the sender asks the service not to use its visitor's IP address.
        ipAddress: request.query['ip'] === '0' ? null : request.ip,
        sender: request.ip,
        endpoint,
      })
      return reply.type('application/json').send(RESPONSES[acceptance])
    }
  return {
    capture: createHandler('capture'),
    batch: createHandler('batch'),
    engage: createHandler('engage'),
    recordings: async (request, reply) => {
      const { inspection } = await bodyReader.inspect(
        readBodyBytes(request),
        readBodyFormat(request),
        maxBodyBytes,
        request.ip,
      )
      await authenticateProject(inspection.apiKey, now(), request.ip)
      return reply.type('application/json').send(RECORDINGS_RESPONSE)
    },
  }
}
