import type { AuthenticateProject } from '../auth/project-authenticator.ts'
import { badRequest, unavailable } from '../http-error.ts'
import type { Inbox } from '../store/inbox/inbox.ts'
import { classifyFileError } from '../store/sqlite/classify-file-error.ts'
import type { FileFault } from '../store/sqlite/classify-file-error.ts'
import type { BodyReader } from './body-reader.ts'
import type { BodyFormat } from './body-format.ts'
import { countDropped } from './event-losses.ts'
import type { LossReporter } from './loss-reporter.ts'
import type { QuotaTracker } from './quota-tracker.ts'
import { createSpikeDetector } from './spike-detector.ts'

/** An ingestion request, as received. */
export interface ReceivedRequest {
  readonly body: Uint8Array
  readonly format: BodyFormat
  /** IP address of the client; null when unknown or not to be stored. */
  readonly ipAddress: string | null
  /** The client that queues for the body reader, by its IP address, which is not stored. */
  readonly sender: string
  /** `batch` accepts no single event. */
  readonly endpoint: 'capture' | 'batch' | 'engage'
}

/** Dependencies of `createAcceptRequest`. */
export interface AcceptParts {
  readonly inbox: Inbox
  readonly authenticateProject: AuthenticateProject
  readonly bodyReader: Pick<BodyReader, 'inspect'>
  /** True while the inbox has reached its size limit. */
  readonly isFull: () => boolean
  readonly maxBodyBytes: number
  readonly quota: Pick<QuotaTracker, 'isExceeded' | 'recordRow'>
  readonly lossReporter: Pick<LossReporter, 'report'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Called with a sentence about each spike of a project, and about events that are not stored. */
  readonly onWarning: (message: string) => void
}

/** `quota_limited`: nothing was stored, because the project has used up its quota. */
export type Acceptance = 'accepted' | 'quota_limited'

/** About the time that the indexer needs to make room, or an operator to notice. */
const RETRY_AFTER_SECONDS = 5

/** Answers to a request that the inbox refused, by the fault of the file. */
const INBOX_DETAILS: ReadonlyMap<FileFault | null, string> = new Map([
  ['damaged', 'The inbox of the service is damaged and cannot store events now. Retry later.'],
  ['replaced', 'Files of the service were deleted or replaced, so it cannot store events now. Retry later.'],
])

/**
 * Creates the function that accepts ingestion requests. It resolves when every event to be stored is on disk. Throws
 * `HttpError`: 4xx for a wrong request, 503 when the service cannot store it now.
 */
export const createAcceptRequest = ({
  inbox,
  authenticateProject,
  bodyReader,
  isFull,
  maxBodyBytes,
  quota,
  lossReporter,
  now,
  onWarning,
}: AcceptParts) => {
  const detectSpike = createSpikeDetector()

  return async ({ body: received, format, ipAddress, sender, endpoint }: ReceivedRequest): Promise<Acceptance> => {
    if (isFull()) {
      throw unavailable(
        'inbox_full',
        'Too many events wait for the indexer of the service. Retry later.',
        RETRY_AFTER_SECONDS,
      )
    }
    const receivedAt = now()
    const { inspection, body } = await bodyReader.inspect(received, format, maxBodyBytes, sender)
    const { apiKey, isSingle, isHistorical, isStorable, losses, failure } = inspection
    const project = await authenticateProject(apiKey, receivedAt, sender)
    if (endpoint === 'batch' && isSingle) {
      throw badRequest(
        'missing_batch',
        '"batch" is missing in the body; send an object with an array of events in it.',
        'batch',
      )
    }
    // Called once nothing can fail any more, because senders repeat what failed.
    const reportLosses = (): void => {
      const warning = losses && lossReporter.report(project.id, losses, receivedAt)
      if (warning !== null) onWarning(warning)
    }
    if (failure !== null) {
      if (!isStorable) reportLosses()
      throw failure
    }
    if (!isStorable) {
      reportLosses()
      return 'accepted'
    }
    if (!isHistorical && quota.isExceeded(project, receivedAt)) return 'quota_limited'
    try {
      const row = await inbox.append(
        { projectId: project.id, receivedAt, address: ipAddress, form: JSON.stringify(format), body },
        inspection.eventCount - (losses === null ? 0 : countDropped(losses)),
      )
      if (!isHistorical) quota.recordRow(project, row)
    } catch (error) {
      const fault = classifyFileError(error)
      throw unavailable(
        fault === 'damaged' ? 'inbox_damaged' : 'inbox_unavailable',
        INBOX_DETAILS.get(fault) ?? 'The disk of the service cannot store events now. Retry later.',
        RETRY_AFTER_SECONDS,
        error,
      )
    }
    reportLosses()
    const spike = isHistorical ? null : detectSpike(project.id, inspection.eventCount, receivedAt)
    if (spike !== null) {
      onWarning(
        `Project ${project.id} received ${spike.events} events in the current minute; ` +
          `the mean of the last hour was ${Math.round(spike.mean)} per minute.`,
      )
    }
    return 'accepted'
  }
}
