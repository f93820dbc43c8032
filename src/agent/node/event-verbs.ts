import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { copyAsJson } from '../../capture/copy-as-json.ts'
import { idToString } from '../../wire/id-to-string.ts'
import { isMergeableId } from '../../wire/is-mergeable-id.ts'
import type { NodePipeline } from '../../capture/node/pipeline.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import { resolveDistinctId } from '../../port/resolve-distinct-id.ts'
import { EventName } from '../../wire/event.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { IdentifyInput, Waymark } from './waymark.ts'

/** Creates the methods that capture events. */
export const createEventVerbs = (
  { capture, captureNow }: NodePipeline,
  contexts: RequestContexts,
  { warn }: Logger,
): Pick<Waymark, 'capture' | 'captureImmediate' | 'identify' | 'setPersonProperties' | 'alias' | 'groupIdentify'> => {
  const refuse = (verb: string, field: string): void => warn(`${verb}() refused: "${field}" is missing or invalid`)

  /** Captures person properties with an event of this name. */
  const capturePerson = (
    verb: string,
    event: string,
    { distinctId, properties, setOnce, disableGeoip }: IdentifyInput,
  ): void => {
    const id = resolveDistinctId(distinctId, contexts)
    if (!isMergeableId(id)) return refuse(verb, 'distinctId')
    const { $set, $set_once, ...plainProperties } = copyAsJson(properties)
    const setOnceProperties = { ...toObject($set_once), ...copyAsJson(setOnce) }
    capture({
      event,
      distinctId: id,
      disableGeoip,
      properties: {
        $set: { ...plainProperties, ...toObject($set) },
        $set_once: Object.keys(setOnceProperties).length > 0 ? setOnceProperties : undefined,
      },
    })
    return undefined
  }

  return {
    capture: (event) => void capture(event),
    captureImmediate: (event) => captureNow(event),
    identify: (input) => capturePerson('identify', EventName.identify, input),
    setPersonProperties: (input) => capturePerson('setPersonProperties', EventName.set, input),
    alias({ distinctId, alias, disableGeoip }) {
      const id = resolveDistinctId(distinctId, contexts)
      const mainId = idToString(alias)
      if (!isMergeableId(id)) return refuse('alias', 'distinctId')
      if (!isMergeableId(mainId)) return refuse('alias', 'alias')
      capture({ event: EventName.createAlias, distinctId: id, disableGeoip, properties: { alias: mainId } })
    },
    groupIdentify({ groupType, groupKey, properties, distinctId, disableGeoip }) {
      if (!isNonBlankString(groupType)) return refuse('groupIdentify', 'groupType')
      const key = idToString(groupKey)
      if (!isMergeableId(key)) return refuse('groupIdentify', 'groupKey')
      capture({
        event: EventName.groupIdentify,
        distinctId: resolveDistinctId(distinctId, contexts) ?? `$${groupType}_${key}`,
        disableGeoip,
        properties: { $group_type: groupType, $group_key: key, $group_set: copyAsJson(properties) },
      })
    },
  }
}

const toObject = (input: unknown): JsonObject =>
  typeof input === 'object' && input !== null ? (input as JsonObject) : {}
