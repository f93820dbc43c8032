import { isText } from '../../capture/is-text.ts'
import { plainCopy } from '../../capture/plain-copy.ts'
import { idText } from '../../wire/id-text.ts'
import type { NodePipeline } from '../../capture/node/pipeline.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import { EventName } from '../../wire/event.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Waymark } from './waymark.ts'

/** The verbs that make events. */
export const eventVerbs = (
  { capture, captureNow }: NodePipeline,
  contexts: RequestContexts,
  { warn }: Logger,
): Pick<Waymark, 'capture' | 'captureImmediate' | 'identify' | 'alias' | 'groupIdentify'> => {
  const idOf = (given: unknown): string | undefined => idText(given ?? contexts.current()?.distinctId)
  const refuse = (verb: string, missing: string): void => warn(`${verb}() refused: ${missing} is missing`)

  return {
    capture: (event) => void capture(event),
    captureImmediate: (event) => captureNow(event),
    identify({ distinctId, properties, setOnce, disableGeoip }) {
      const id = idOf(distinctId)
      if (!id) return refuse('identify', 'a distinct id')
      const { $set, $set_once, ...others } = plainCopy(properties)
      const once = { ...objectOr($set_once), ...plainCopy(setOnce) }
      capture({
        event: EventName.identify,
        distinctId: id,
        disableGeoip,
        properties: {
          $set: { ...others, ...objectOr($set) },
          $set_once: Object.keys(once).length > 0 ? once : undefined,
        },
      })
    },
    alias({ distinctId, alias, disableGeoip }) {
      const id = idOf(distinctId)
      const main = idText(alias)
      if (!id) return refuse('alias', 'a distinct id')
      if (!main) return refuse('alias', 'the alias')
      capture({ event: EventName.createAlias, distinctId: id, disableGeoip, properties: { alias: main } })
    },
    groupIdentify({ groupType, groupKey, properties, distinctId, disableGeoip }) {
      if (!isText(groupType)) return refuse('groupIdentify', 'a group type')
      const key = idText(groupKey)
      if (!key) return refuse('groupIdentify', 'a group key')
      capture({
        event: EventName.groupIdentify,
        distinctId: idOf(distinctId) ?? `$${groupType}_${key}`,
        disableGeoip,
        properties: { $group_type: groupType, $group_key: key, $group_set: plainCopy(properties) },
      })
    },
  }
}

const objectOr = (given: unknown): JsonObject =>
  typeof given === 'object' && given !== null ? (given as JsonObject) : {}
