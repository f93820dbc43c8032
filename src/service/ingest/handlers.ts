import type { ProjectOfKey } from '../auth/project-keys.ts'
import { bodyBytes, bodyForm } from '../http/request-body.ts'
import type { Handler } from '../http/route.ts'
import type { Acceptance, ReceivedRequest } from './accept.ts'
import type { BodyReader } from './body-reader.ts'

export interface IngestHandlerParts {
  readonly accept: (request: ReceivedRequest) => Promise<Acceptance>
  readonly projectOfKey: ProjectOfKey
  readonly bodyReader: Pick<BodyReader, 'inspect'>
  readonly maxBodyBytes: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The handlers of the paths that events are sent to. */
export interface IngestHandlers {
  /** One event, or any other shape of the protocol. */
  readonly capture: Handler
  /** Many events. */
  readonly batch: Handler
  /** Updates of people, as old senders make them. */
  readonly engage: Handler
  /** Recordings of sessions, which are not kept. */
  readonly recordings: Handler
}

/** What each outcome is answered with. Senders pause what is named in `quota_limited`. */
const ANSWERS: Readonly<Record<Acceptance, string>> = {
  taken: '{"status":1}',
  quota_limited: '{"status":1,"quota_limited":["events"]}',
}

/** A sender of recordings that reads this sends no more of them for a while. */
const NO_RECORDINGS = '{"status":1,"quota_limited":["recordings"]}'

/** Makes the handlers that take events in. */
export const createIngestHandlers = ({
  accept,
  projectOfKey,
  bodyReader,
  maxBodyBytes,
  now,
}: IngestHandlerParts): IngestHandlers => {
  const take =
    (endpoint: ReceivedRequest['endpoint']): Handler =>
    async (request, reply) => {
      const form = bodyForm(request)
      const acceptance = await accept({
        body: bodyBytes(request),
        form: endpoint === 'engage' ? { ...form, endpoint } : form,
        // `ip=0`: the sender asks that the address of its visitor is not used.
        address: request.query['ip'] === '0' ? null : request.ip,
        sender: request.ip,
        endpoint,
      })
      return reply.type('application/json').send(ANSWERS[acceptance])
    }
  return {
    capture: take('capture'),
    batch: take('batch'),
    engage: take('engage'),
    recordings: async (request, reply) => {
      const { inspection } = await bodyReader.inspect(bodyBytes(request), bodyForm(request), maxBodyBytes, request.ip)
      await projectOfKey(inspection.apiKey, now())
      return reply.type('application/json').send(NO_RECORDINGS)
    },
  }
}
