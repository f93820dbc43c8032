import { checkInputOptions } from './check-options.ts'
import { openInput } from './input.ts'
import type { ImportSummary, InputOptions } from './import-options.ts'
import { createThroughput } from './throughput.ts'
import { openInputReader } from './open-input-reader.ts'
import { openRejectsFile } from './rejects-file.ts'
import { INPUT_START } from './row.ts'
import { addRejects, totalRejects } from './reject-counts.ts'
import type { RejectCounts } from './reject-counts.ts'

/** The result of `checkHistory`. */
export interface CheckSummary extends Pick<
  ImportSummary,
  'rejected' | 'rejectedBy' | 'bytesRead' | 'durationMs' | 'ignored' | 'isComplete'
> {
  /** Events that could be sent. */
  readonly valid: number
}

/**
 * Reads an input as `importHistory` does, and sends nothing.
 *
 * @throws {ImportError} For errors of the input as a whole. Rejected rows are counted in the summary.
 */
export const checkHistory = async (options: InputOptions): Promise<CheckSummary> => {
  const { rejects: rejectsPath, onProgress, signal } = options
  checkInputOptions(options)
  const input = await openInput(options.source)
  const throughput = createThroughput(input, () => performance.now())
  const reader = await openInputReader(input.open(0), options, { position: INPUT_START, earlierRun: null })
  const rejectsFile = rejectsPath === undefined ? null : await openRejectsFile(rejectsPath, 0)
  let validCount = 0
  let rejectCounts: RejectCounts = {}
  for await (const { events, rejects } of reader.batches) {
    await rejectsFile?.append(rejects)
    validCount += events.length
    rejectCounts = addRejects(rejectCounts, rejects)
    onProgress?.({
      ...throughput.progress(),
      sent: 0,
      rejected: totalRejects(rejectCounts),
      eventsPerSecond: 0,
      wait: null,
    })
    if (signal?.aborted) break
  }
  return {
    valid: validCount,
    rejected: totalRejects(rejectCounts),
    rejectedBy: rejectCounts,
    bytesRead: input.bytesRead(),
    durationMs: throughput.durationMs(),
    ignored: reader.ignoredFields(),
    isComplete: !signal?.aborted,
  }
}
