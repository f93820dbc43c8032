import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { copyAsJson } from '../../capture/copy-as-json.ts'
import { idToString } from '../../wire/id-to-string.ts'
import { MAX_GROUP_KEY_CHARACTERS, MAX_ID_CHARACTERS } from '../../wire/bounds.ts'
import { isMergeableId } from '../../wire/is-mergeable-id.ts'
import type { NodePipeline } from '../../capture/node/pipeline.ts'
import type { Logger } from '../../port/logger.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import { resolveDistinctId } from '../../lib/resolve-distinct-id.ts'
import { EventName } from '../../wire/event.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { IdentifyInput, Waymark } from './waymark.ts'

/** Creates the methods that capture events. */
export const createEventVerbs = (
  { capture, captureNow }: NodePipeline,
  contexts: RequestContexts,
  { warn }: Logger,
): Pick<Waymark, 'capture' | 'captureImmediate' | 'identify' | 'setPersonProperties' | 'alias' | 'groupIdentify'> => {
  /** Whether a verb accepts an id; warns if not. */
  const isUsable = (
    verb: string,
    field: string,
    id: string | undefined,
    max: number,
    isValid: (id: unknown) => boolean = isMergeableId,
  ): id is string => {
    if (!isValid(id)) warn(`${verb}() refused: "${field}" is missing or invalid`)
    else if (id!.length > max) warn(`${verb}() refused: "${field}" has ${id!.length} characters, but may have ${max}`)
    else return true
    return false
  }

  /** Captures person properties with an event of this name. */
  const capturePerson = (
    verb: string,
    event: string,
    { distinctId, properties, setOnce, disableGeoip }: IdentifyInput,
  ): void => {
    const id = resolveDistinctId(distinctId, contexts)
    if (!isUsable(verb, 'distinctId', id, MAX_ID_CHARACTERS)) return
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
  }

  return {
    capture: (event) => void capture(event),
    captureImmediate: (event) => captureNow(event),
    identify: (input) => capturePerson('identify', EventName.identify, input),
    setPersonProperties: (input) => capturePerson('setPersonProperties', EventName.set, input),
    alias({ distinctId, alias, disableGeoip }) {
      const id = resolveDistinctId(distinctId, contexts)
      const mainId = idToString(alias)
      if (!isUsable('alias', 'distinctId', id, MAX_ID_CHARACTERS)) return
      if (!isUsable('alias', 'alias', mainId, MAX_ID_CHARACTERS)) return
      capture({ event: EventName.createAlias, distinctId: id, disableGeoip, properties: { alias: mainId } })
    },
    groupIdentify({ groupType, groupKey, properties, distinctId, disableGeoip }) {
      const key = idToString(groupKey)
      if (!isUsable('groupIdentify', 'groupType', groupType, MAX_GROUP_KEY_CHARACTERS, isNonBlankString)) return
      if (!isUsable('groupIdentify', 'groupKey', key, MAX_GROUP_KEY_CHARACTERS)) return
      const builtId = `$${groupType}_${key}`
      capture({
        event: EventName.groupIdentify,
        // Without an id the event gets a random one, and belongs to no person.
        distinctId:
          resolveDistinctId(distinctId, contexts) ?? (builtId.length > MAX_ID_CHARACTERS ? undefined : builtId),
        disableGeoip,
        properties: { $group_type: groupType, $group_key: key, $group_set: copyAsJson(properties) },
      })
    },
  }
}

const toObject = (input: unknown): JsonObject =>
  typeof input === 'object' && input !== null ? (input as JsonObject) : {}
