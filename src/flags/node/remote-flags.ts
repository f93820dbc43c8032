import { thrownText } from '../../evaluate/thrown-text.ts'
import type { FlagDetail } from '../../wire/decide.ts'
import { createAskFlags } from '../ask-flags.ts'
import type { FlagsApi } from '../flags-options.ts'
import type { NodeFlagsOptions } from './flags-options.ts'
import type { NodeFlagsPorts } from './flags-ports.ts'
import type { FlagsSubject } from './flag-subject.ts'

/** What goes for an evaluation as a whole. */
export interface Told {
  /** What is wrong with it, in the words of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** There is no word on flags that it has no value for: they need not be missing. */
  readonly isOpen: boolean
  readonly requestId?: string | undefined
  /** The service wants `$feature_flag_called` with few properties where no experiment needs more. */
  readonly isMinimal?: boolean | undefined
}

export interface RemoteAnswer extends Told {
  readonly flags: Readonly<Record<string, FlagDetail>>
}

/** Asks the service, each time anew. */
export interface RemoteFlags {
  /** @param keys The flags that are wanted; undefined: all. Never rejects. */
  ask(subject: FlagsSubject, keys: readonly string[] | undefined): Promise<RemoteAnswer>
  /** Asks no more, and waits neither for an answer nor for a repetition. */
  stop(): void
}

const noAnswer = (...errors: readonly string[]): RemoteAnswer => ({ flags: {}, errors, isOpen: true })

export const createRemoteFlags = (
  options: NodeFlagsOptions,
  { clock, send, logger, isOptedOut }: Pick<NodeFlagsPorts, 'clock' | 'send' | 'logger' | 'isOptedOut'>,
): RemoteFlags => {
  const contexts = options.evaluationContexts?.length ? options.evaluationContexts : undefined
  /** The endpoint that worked when the chosen one was not there. */
  let api: FlagsApi | undefined
  let isFailing = false
  let isUnaskableTold = false
  let isStopped = false
  const isWanted = (): boolean => !isStopped && !isOptedOut()

  /** What ends the pauses and the requests that are under way. */
  const ends = new Set<() => void>()
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel()
        ends.delete(end)
        resolve()
      }
      const cancel = clock.after(ms, end)
      ends.add(end)
    })
  const askFlags = createAskFlags(pause, (request) => send({ ...request, contentType: 'application/json', ends }), {
    ...options,
    requestTimeout: options.featureFlagsRequestTimeoutMs,
  })

  const tell = (errors: readonly string[]): void => {
    if (!isFailing) logger.warn(`the service did not answer about feature flags: ${errors.join()}`)
    isFailing = true
  }

  return {
    async ask(subject, keys) {
      if (!isWanted()) return noAnswer()
      try {
        const about = {
          ...subject,
          flag_keys_to_evaluate: keys,
          evaluation_contexts: contexts,
          evaluation_runtime: 'server',
        }
        const { known, errors, isFailed } = await askFlags({ api }, about, isWanted)
        if (isFailed) {
          if (isWanted()) tell(errors)
          return noAnswer(...errors)
        }
        isFailing = false
        api = known.api
        return {
          flags: known.flags ?? {},
          errors,
          isOpen: false,
          requestId: known.requestId,
          isMinimal: known.isMinimal,
        }
      } catch (error) {
        // Properties that JSON cannot carry, most likely the same ones with every read.
        if (!isUnaskableTold) logger.warn(`the service cannot be asked about feature flags: ${thrownText(error)}`)
        isUnaskableTold = true
        return noAnswer('unknown_error')
      }
    },
    stop() {
      isStopped = true
      for (const end of ends) end()
    },
  }
}
