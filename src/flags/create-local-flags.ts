import { withTimeout } from '../lib/with-timeout.ts'
import { createDefinitionsSource } from './definitions-source.ts'
import type { DefinitionsOptions } from './definitions-source.ts'
import { fetchFlagsByKey } from './fetch-flags-by-key.ts'
import type { FetchedFlags } from './fetch-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'
import { createLocalEvaluator } from './local-evaluator.ts'
import type { LocalEvaluator } from './local-evaluator.ts'
import type { CreateLocalFlags, LocalFlags } from './local-flags.ts'

/** Flag definitions, and whether they contain all flags of the page. */
export interface LocalFlagsOptions extends DefinitionsOptions {
  /** True: the project has other flags, which are requested from the service. Default: false. */
  readonly partialDefinitions?: boolean | undefined
}

/** What the service has returned since the last reload. */
interface ServiceResponses {
  /** The flags of the snapshot after the response. A snapshot with another object belongs to another person. */
  readonly flags: FlagSnapshot['flags']
  /** The request body as JSON. */
  readonly request: string
  /** The requested keys; undefined when all flags were requested. */
  readonly keys: ReadonlySet<string> | undefined
  readonly errors: readonly string[]
}

/** How long the first definitions may take, in milliseconds, before all flags are requested from the service instead. */
const FIRST_DEFINITIONS_TIMEOUT_MS = 1_000

/**
 * Creates flags that are evaluated on the page from definitions. Definitions are loaded with the first load of flags, with each
 * explicit reload, and when `flagsIntervalMs` has passed. At the same time, flags that the current definitions cannot decide
 * are requested from the service. More are requested when newer definitions leave more flags undecided. Without definitions the
 * request waits until they have loaded or timed out.
 */
export const createLocalFlags =
  ({ partialDefinitions: isPartial, ...definitionsOptions }: LocalFlagsOptions): CreateLocalFlags =>
  (fetchFromService, { clock, send, logger }, { requestTimeout, flagsIntervalMs: intervalMs }, onDefinitionsLoaded) => {
    const definitions = createDefinitionsSource(definitionsOptions, send, requestTimeout, logger.warn)
    const createEvaluator = memoizeLast(createLocalEvaluator)
    const getEvaluator = (): LocalEvaluator | undefined => {
      const currentDefinitions = definitions.getDefinitions()
      return currentDefinitions && createEvaluator(currentDefinitions)
    }
    /** Relative dates count from here: the last load, in milliseconds since 1970. So values stay stable between loads. */
    let evaluationTimeMs = clock.now()
    let responses: ServiceResponses | undefined
    const hasResponseFor = (key: string): boolean => !!responses && (responses.keys?.has(key) ?? true)

    let isLoadDue = true
    let isLoading = false
    let loadStartMs = 0
    let definitionsLoad: Promise<boolean> = Promise.resolve(false)
    let lastLoad: Promise<void> | undefined
    const load = async (): Promise<void> => {
      isLoadDue = false
      isLoading = true
      loadStartMs = clock.now()
      const hadFailed = definitions.hasFailed()
      definitionsLoad = definitions.load()
      const hasChanged = await definitionsLoad
      isLoading = false
      if (hasChanged || hadFailed || definitions.hasFailed()) await onDefinitionsLoaded(hasChanged)
    }

    /** Resolves when the first definitions have loaded, failed, or timed out (counted from their request). */
    const waitForDefinitions = (): Promise<unknown> => {
      const remainingMs = loadStartMs + FIRST_DEFINITIONS_TIMEOUT_MS - clock.now()
      return withTimeout(clock, Math.min(Math.max(remainingMs, 0), FIRST_DEFINITIONS_TIMEOUT_MS), definitionsLoad)
    }

    const mergeFlags = memoizeLast(
      (
        { evaluate }: LocalEvaluator,
        now: number,
        serviceFlags: FlagSnapshot['flags'],
        subject: Parameters<LocalFlags['resolveFlags']>[1],
        person: FlagSnapshot['person'],
        group: FlagSnapshot['group'],
      ): ReturnType<LocalFlags['resolveFlags']> => {
        const { flags } = evaluate(
          { ...subject, person_properties: { ...person }, group_properties: { ...group } },
          now,
        )
        return serviceFlags || Object.keys(flags).length ? { ...serviceFlags, ...flags } : undefined
      },
    )

    return {
      resolveFlags({ flags, person, group }, subject) {
        const evaluator = getEvaluator()
        return evaluator ? mergeFlags(evaluator, evaluationTimeMs, flags, subject, person, group) : flags
      },
      async fetchFlags(snapshot, subject, isCurrent) {
        const now = clock.now()
        const request = JSON.stringify(subject)
        if (isLoadDue || request !== responses?.request || snapshot.flags !== responses.flags) responses = undefined
        if (!isLoading && (isLoadDue || (intervalMs && Math.abs(now - loadStartMs) >= intervalMs))) lastLoad = load()
        if (isLoading && !getEvaluator() && !isPartial) await waitForDefinitions()
        const evaluator = getEvaluator()
        const unresolved = evaluator && !isPartial ? evaluator.evaluate(subject, now).unresolved : undefined
        const keys = unresolved?.filter((key) => !hasResponseFor(key))
        let result: FetchedFlags = { snapshot, errors: responses?.errors ?? [], isFailed: false }
        // When only the definitions changed, nothing is requested twice.
        if (keys ? keys.length : !responses || responses.keys)
          result = await (keys
            ? fetchFlagsByKey(keys, fetchFromService, snapshot, subject, isCurrent)
            : fetchFromService(snapshot, subject, isCurrent))
        if (isCurrent()) {
          evaluationTimeMs = now
          if (!result.isFailed && result.snapshot.flags)
            responses = {
              flags: result.snapshot.flags,
              request,
              keys: keys && (responses && !responses.keys ? undefined : new Set([...(responses?.keys ?? []), ...keys])),
              errors: result.errors,
            }
        }
        return definitions.hasFailed()
          ? { ...result, errors: [...result.errors, 'definitions_not_loaded'], isIncomplete: true }
          : result
      },
      isConfirmedMissing({ flags }, key) {
        const evaluator = getEvaluator()
        if (evaluator?.hasFlag(key)) return responses?.flags === flags && hasResponseFor(key)
        return (evaluator && !isPartial && definitions.isLoaded()) || undefined
      },
      invalidate() {
        isLoadDue = true
      },
      whenLoaded: () => lastLoad,
    }
  }

/** Creates a function that computes its result again only when an argument has changed. */
const memoizeLast = <Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): ((...args: Args) => Result) => {
  let lastCall: { readonly args: Args; readonly result: Result } | undefined
  return (...args) => {
    if (!lastCall?.args.every((arg, index) => arg === args[index])) lastCall = { args, result: compute(...args) }
    return lastCall.result
  }
}
