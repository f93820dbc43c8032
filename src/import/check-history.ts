import { checkInputOptions } from './check-options.ts'
import { openInput } from './input.ts'
import type { ImportSummary, InputOptions } from './import-options.ts'
import { createPace } from './pace.ts'
import { readInput } from './read-input.ts'
import { openRejectsFile } from './rejects-file.ts'
import { START } from './row.ts'
import { counted, total } from './tally.ts'
import type { Tally } from './tally.ts'

/** What a look at an input has found. */
export interface CheckSummary extends Pick<
  ImportSummary,
  'rejected' | 'rejectedBy' | 'bytesRead' | 'durationMs' | 'ignored' | 'isComplete'
> {
  /** Events that could be sent. */
  readonly valid: number
}

/** Reads an input as `importHistory` does, and sends nothing. Rejects with `ImportError`. */
export const checkHistory = async (options: InputOptions): Promise<CheckSummary> => {
  const { rejects: path, onProgress, signal } = options
  checkInputOptions(options)
  const input = await openInput(options.source)
  const pace = createPace(input, () => performance.now())
  const reading = await readInput(input.open(0), options, { place: START, known: null })
  const file = path === undefined ? null : await openRejectsFile(path, 0)
  let valid = 0
  let rejectedBy: Tally = {}
  for await (const { events, rejects } of reading.windows) {
    await file?.append(rejects)
    valid += events.length
    rejectedBy = counted(rejectedBy, rejects)
    onProgress?.({
      ...pace.progress(),
      sent: 0,
      rejected: total(rejectedBy),
      eventsPerSecond: 0,
      wait: null,
    })
    if (signal?.aborted) break
  }
  return {
    valid,
    rejected: total(rejectedBy),
    rejectedBy,
    bytesRead: input.bytesRead(),
    durationMs: pace.durationMs(),
    ignored: reading.ignored(),
    isComplete: !signal?.aborted,
  }
}
