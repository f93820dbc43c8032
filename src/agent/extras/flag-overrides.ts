import type { OutgoingEvent } from '../../capture/before-send.ts'
import { createFlagDetails } from '../../flags/flag-detail.ts'
import type { FlagsListener, FlagVerbs } from '../../flags/flag-verbs.ts'
import type { ReadVerbs } from '../../flags/read-verbs.ts'
import { createReadVerbs } from '../../flags/read-verbs.ts'
import { keepEqual } from '../../lib/keep-equal.ts'
import { callHook } from '../../lib/call-hook.ts'
import { callSafely } from '../../lib/call-safely.ts'
import type { Logger } from '../../port/logger.ts'
import { noop } from '../../lib/noop.ts'
import type { FlagDetail } from '../../wire/decide.ts'
import type { ExtraVerbs } from './extra-verbs.ts'

/** The verbs of the agent that know of the overrides. */
type OverriddenVerbs = ReadVerbs & Pick<FlagVerbs, 'onFeatureFlags' | 'reloadFeatureFlags'>

/** Flag values that replace those of the agent on this page. */
export interface FlagOverrides {
  readonly set: ExtraVerbs['overrideFeatureFlags']
  /** Puts the overrides in front of the agent's own verbs. */
  wrap(agent: FlagVerbs): OverriddenVerbs
  /** Puts the values into an event that carries flags. Undefined: nothing is overridden. */
  hook(): ((event: OutgoingEvent) => OutgoingEvent) | undefined
}

export const createFlagOverrides = (logger: Logger): FlagOverrides => {
  let details: Readonly<Record<string, FlagDetail>> = {}
  /** One function per listener, which tells it the values that it knew last with the new overrides. */
  const notifiers = new Set<() => void>()
  const overridden = createReadVerbs(() => details, noop)
  const isOverridden = (key: string): boolean => Object.keys(details).includes(key)

  return {
    set(flags, payloads) {
      const values = Object.entries({ ...flags }).filter(([, value]) => ['boolean', 'string'].includes(typeof value))
      details = createFlagDetails(Object.fromEntries(values), payloads)
      for (const notify of notifiers) notify()
    },
    wrap: (agent) => ({
      ...keepEqual<ReadVerbs>({
        getFeatureFlag: (key, options) => (isOverridden(key) ? overridden : agent).getFeatureFlag(key, options),
        isFeatureEnabled: (key, options) => (isOverridden(key) ? overridden : agent).isFeatureEnabled(key, options),
        getFeatureFlagPayload: (key) => (isOverridden(key) ? overridden : agent).getFeatureFlagPayload(key),
        getFeatureFlagResult: (key, options) =>
          (isOverridden(key) ? overridden : agent).getFeatureFlagResult(key, options),
        getFeatureFlags: () => ({ ...agent.getFeatureFlags(), ...overridden.getFeatureFlags() }),
        getFeatureFlagsAndPayloads() {
          const own = agent.getFeatureFlagsAndPayloads()
          const { flags, payloads } = overridden.getFeatureFlagsAndPayloads()
          const ownPayloads = Object.entries(own.payloads).filter(([key]) => !isOverridden(key))
          return {
            flags: { ...own.flags, ...flags },
            payloads: { ...Object.fromEntries(ownPayloads), ...payloads },
          }
        },
      }),
      onFeatureFlags(listener) {
        let context: Parameters<FlagsListener>[1] = { errorsLoading: false, isStale: true }
        let isTold = false
        const notify = (): void => {
          isTold = true
          const flags = { ...agent.getFeatureFlags(), ...overridden.getFeatureFlags() }
          callHook(listener, () => callSafely(logger, 'listener', () => listener(flags, context)))
        }
        const unsubscribe = agent.onFeatureFlags((_flags, newContext) => {
          context = newContext
          notify()
        })
        notifiers.add(notify)
        if (!isTold && Object.keys(details).length) notify()
        return () => {
          notifiers.delete(notify)
          unsubscribe?.()
        }
      },
      reloadFeatureFlags: (listener) =>
        agent.reloadFeatureFlags(
          listener && ((flags, context) => listener({ ...flags, ...overridden.getFeatureFlags() }, context)),
        ),
    }),
    hook() {
      const values = overridden.getFeatureFlags()
      const keys = Object.keys(values)
      if (!keys.length) return undefined
      return (event) => {
        const { $active_feature_flags: active } = event.properties
        if (!Array.isArray(active)) return event
        const properties: Record<string, unknown> = {
          ...event.properties,
          $active_feature_flags: [
            ...(active as string[]).filter((key) => !isOverridden(key)),
            ...keys.filter((key) => values[key]),
          ],
        }
        for (const key of keys) properties[`$feature/${key}`] = values[key]
        return { ...event, properties }
      }
    },
  }
}
