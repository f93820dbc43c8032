import type { ProjectOfKey } from '../auth/project-keys.ts'
import { invalid, unavailable } from '../refusal.ts'
import type { Inbox } from '../store/inbox/inbox.ts'
import { fileFault } from '../store/sqlite/file-fault.ts'
import type { BodyReader } from './body-reader.ts'
import { createDropWatch } from './drop-watch.ts'
import type { BodyForm } from './form.ts'
import type { Quota } from './quota.ts'
import { createSpikeWatch } from './spike.ts'

/** A request for ingestion, as it came from the socket. */
export interface ReceivedRequest {
  readonly body: Uint8Array
  readonly form: BodyForm
  /** Address of the client; null where it is unknown or not to be kept. */
  readonly address: string | null
  /** Who waits where large bodies of many senders do: the address, which is forgotten. */
  readonly sender: string
  /** `batch` takes no single event. */
  readonly endpoint: 'capture' | 'batch' | 'engage'
}

/** What accepting needs. */
export interface AcceptParts {
  readonly inbox: Inbox
  readonly projectOfKey: ProjectOfKey
  readonly bodyReader: Pick<BodyReader, 'inspect'>
  /** True while the inbox holds as much as it may. */
  readonly isFull: () => boolean
  readonly maxBodyBytes: number
  readonly quota: Pick<Quota, 'isUsedUp' | 'taken'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Told in one sentence about each spike of a project, and about events that are dropped. */
  readonly onWarning: (message: string) => void
}

/** `quota_limited`: nothing was taken, because the project has used its quota up. */
export type Acceptance = 'taken' | 'quota_limited'

/** When a sender should come again: about what the indexer needs to make room, or an operator to notice. */
const RETRY_AFTER_SECONDS = 5

/**
 * Makes the function that takes requests in. It resolves when every event of the request that is to be stored is on disk,
 * and throws `Refusal`: 4xx for what is wrong with the request, 503 for what is wrong here.
 */
export const createAccept = ({
  inbox,
  projectOfKey,
  bodyReader,
  isFull,
  maxBodyBytes,
  quota,
  now,
  onWarning,
}: AcceptParts) => {
  const watchForSpike = createSpikeWatch()
  const watchForDrops = createDropWatch()

  return async ({ body: received, form, address, sender, endpoint }: ReceivedRequest): Promise<Acceptance> => {
    if (isFull()) {
      throw unavailable('inbox_full', 'Too many events wait to be indexed. Send this again later.', RETRY_AFTER_SECONDS)
    }
    const receivedAt = now()
    const { inspection, body } = await bodyReader.inspect(received, form, maxBodyBytes, sender)
    const { apiKey, isSingle, isHistorical, isStorable, dropped, failure } = inspection
    const project = await projectOfKey(apiKey, receivedAt)
    if (endpoint === 'batch' && isSingle) {
      throw invalid('missing_batch', 'The body must be an object with the array "batch".', 'batch')
    }
    if (failure !== null) throw failure
    const told = dropped && watchForDrops(project.id, dropped, receivedAt)
    if (told !== null) onWarning(told)
    if (!isStorable) return 'taken'
    if (!isHistorical && quota.isUsedUp(project, receivedAt)) return 'quota_limited'
    try {
      const row = await inbox.append({ projectId: project.id, receivedAt, address, form: JSON.stringify(form), body })
      if (!isHistorical) quota.taken(project, row)
    } catch (error) {
      const isDamaged = fileFault(error) === 'damaged'
      throw unavailable(
        isDamaged ? 'inbox_damaged' : 'inbox_unavailable',
        `The ${isDamaged ? 'inbox is damaged and' : 'disk'} does not take events now. Send this again later.`,
        RETRY_AFTER_SECONDS,
        error,
      )
    }
    const spike = isHistorical ? null : watchForSpike(project.id, inspection.events, receivedAt)
    if (spike !== null) {
      onWarning(
        `Project ${project.id} has received ${spike.events} events in this minute; the mean of the last hour was ${Math.round(spike.mean)} a minute.`,
      )
    }
    return 'taken'
  }
}
