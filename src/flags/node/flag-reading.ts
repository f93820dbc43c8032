import { ownOf } from '../../evaluate/own.ts'
import { thrownText } from '../../evaluate/thrown-text.ts'
import { idText } from '../../wire/id-text.ts'
import { valueOf } from '../flag-detail.ts'
import { localContext } from '../local-context.ts'
import type { KnownFlag } from '../local-flags.ts'
import { flagsSubject } from './flag-subject.ts'
import type { FlagsSubject } from './flag-subject.ts'
import type { EvaluateOptions, FlagOptions, ReadOptions } from './flag-verbs.ts'
import type { NodeFlagsOptions } from './flags-options.ts'
import type { NodeFlagsPorts } from './flags-ports.ts'
import { held } from './held.ts'
import { createLocalReader } from './local-reader.ts'
import type { Overrides } from './overrides.ts'
import { createReadReports } from './report-read.ts'
import { createRemoteFlags } from './remote-flags.ts'
import type { RemoteAnswer, Told } from './remote-flags.ts'

/** What is known of several flags of one user. */
interface Evaluated {
  /** Those that have a value. */
  readonly flags: Map<string, KnownFlag>
  readonly told: Told
}

/** Several flags of one user, for many reads. */
export interface ReadFlags {
  /** Undefined: nobody was named. */
  readonly distinctId: string | undefined
  /** Those that have a value. */
  readonly flags: ReadonlyMap<string, KnownFlag>
  /** To be told of each read that counts as one. */
  report(key: string): void
}

/** How flags are read. Nothing here rejects. */
export interface FlagReading {
  /**
   * One flag of one user. What is evaluated here makes no detour by way of those of many.
   *
   * @param isReported Default: as the options say.
   */
  one(
    key: string,
    distinctId: string | undefined,
    given: ReadOptions | undefined,
    isReported?: boolean,
  ): Promise<KnownFlag | undefined>
  /** Several flags of one user, none of them reported yet. */
  many(distinctId: string | undefined, given: EvaluateOptions | undefined): Promise<ReadFlags>
  /** Asks the service no more, and reports nothing. */
  stop(): void
}

/** Nothing was left to ask. */
const COMPLETE: Told = { errors: [], isOpen: false }

/** Only the service could have told, and was not to be asked. */
const INCONCLUSIVE: RemoteAnswer = { flags: {}, errors: ['local_evaluation_inconclusive'], isOpen: true }

/** Overrides win; then what can be evaluated here; for the rest, and for that alone, the service is asked. */
export const createFlagReading = (
  options: NodeFlagsOptions,
  ports: NodeFlagsPorts,
  overrides: Overrides,
): FlagReading => {
  const { clock, contexts, hold, logger } = ports
  const local = createLocalReader(options, ports)
  const remote = createRemoteFlags(options, ports)
  const reports = createReadReports(options.maxFlagCalledEntries, ports)
  let isWarned = false

  /** A key that is no text is no flag's: nobody is asked about it. */
  const isKey = (key: unknown): key is string => {
    const isText = typeof key === 'string' && !!key.trim()
    if (!isText) logger.warn('a feature flag was not read: its key is missing, or no text')
    return isText
  }

  /** Of those that are asked for, what can be keys; undefined: all flags are asked for. */
  const keysOf = ({ flagKeys }: EvaluateOptions): readonly string[] | undefined => {
    if (Array.isArray(flagKeys ?? [])) return flagKeys?.filter(isKey)
    logger.warn('feature flags were not read: flagKeys is no array')
    return []
  }

  const subjectOf = (given: unknown, reading: FlagOptions): FlagsSubject | undefined => {
    // One that is given and is none is not made up for by the context's: somebody else's flags are worse than none.
    const id = idText(given ?? contexts.current()?.distinctId)
    if (id) return flagsSubject(id, reading, options.disableGeoip)
    if (!isWarned) logger.warn('feature flags were read without a distinct id: nobody has any')
    isWarned = true
    return undefined
  }

  const ask = async (
    subject: FlagsSubject,
    keys: readonly string[] | undefined,
    { onlyEvaluateLocally }: FlagOptions,
  ): Promise<RemoteAnswer> =>
    (onlyEvaluateLocally ?? options.strictLocalEvaluation) ? INCONCLUSIVE : held(hold, remote.ask(subject, keys))

  const one: FlagReading['one'] = async (key, distinctId, given, isReported = given?.sendFeatureFlagEvents ?? true) => {
    try {
      if (!isKey(key)) return undefined
      const overridden = overrides.flag(key)
      if (overridden) return overridden
      const reading = given ?? {}
      const subject = subjectOf(distinctId, reading)
      if (!subject) return undefined
      const firstLoad = local.firstLoad()
      if (firstLoad) await firstLoad
      const usable = local.inUse()
      let flag = usable ? usable.read(key, localContext(subject, clock.now())) : 'ask'
      let told = COMPLETE
      if (flag === 'ask') {
        const answer = await ask(subject, [key], reading)
        told = answer
        flag = ownOf(answer.flags, key)
      }
      // As it came: a payload of this process's own is not the service's.
      if (isReported) reports.report(subject, key, flag, told)
      return overrides.paid(key, flag)
    } catch (error) {
      logger.warn(`the feature flag ${key} cannot be read: ${thrownText(error)}`)
      return undefined
    }
  }

  /** Several flags of one user, with one request at most; a value from here is never replaced by the service's. */
  const evaluate = async (
    subject: FlagsSubject,
    reading: FlagOptions,
    flagKeys: readonly string[] | undefined,
  ): Promise<Evaluated> => {
    const firstLoad = local.firstLoad()
    if (firstLoad) await firstLoad
    const usable = local.inUse()
    const flags = new Map<string, KnownFlag>()
    // No flags at all are more likely not to be had here than not to be there, as the field has it.
    const wanted = flagKeys ?? (usable?.keys.length ? usable.keys : undefined)
    const open = wanted && new Set(wanted)
    if (open) {
      for (const key of overrides.keys()) open.delete(key)
      const context = localContext(subject, clock.now())
      for (const key of usable ? open : []) {
        const flag = usable!.read(key, context)
        if (flag === 'ask') continue
        open.delete(key)
        if (flag) flags.set(key, flag)
      }
      if (open.size === 0) return { flags, told: COMPLETE }
    }
    const answer = await ask(subject, open && [...open], reading)
    for (const [key, flag] of Object.entries(answer.flags))
      if (valueOf(flag) !== undefined && (!open || open.has(key))) flags.set(key, flag)
    return { flags, told: answer }
  }

  const many: FlagReading['many'] = async (distinctId, given) => {
    const reading = given ?? {}
    const flagKeys = keysOf(reading)
    const keys = overrides.keys().filter((key) => flagKeys?.includes(key) ?? true)
    const overridden = new Map(keys.map((key) => [key, overrides.flag(key)!]))
    try {
      const subject = subjectOf(distinctId, reading)
      if (!subject) return { distinctId: undefined, flags: overridden, report: () => undefined }
      const { flags, told } = await evaluate(subject, reading, flagKeys)
      const paid = [...flags].map(([key, flag]) => [key, overrides.paid(key, flag)] as const)
      return {
        distinctId: subject.distinct_id,
        flags: new Map([...paid, ...overridden]),
        report: (key) => overridden.has(key) || (isKey(key) && reports.report(subject, key, flags.get(key), told)),
      }
    } catch (error) {
      logger.warn(`feature flags cannot be read: ${thrownText(error)}`)
      return { distinctId: undefined, flags: overridden, report: () => undefined }
    }
  }

  return {
    one,
    many,
    stop() {
      remote.stop()
      reports.stop()
    },
  }
}
