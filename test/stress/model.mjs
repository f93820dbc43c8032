/**
 * Creates a reference model of one project, which computes the expected state from the acknowledged events. It follows the
 * description of the protocol, is as simple as possible and shares no code with the service.
 */
export const createModel = () => {
  /** @type {Map<string, Person>} Distinct id to person. All ids of a person map to the same object. */
  const personOf = new Map()
  /** @type {Map<string, Group>} */
  const groups = new Map()
  /** @type {Map<string, any>} uuid to the event as it was sent. */
  const events = new Map()
  /** @type {Set<string>} */
  const distinctIds = new Set()

  const assign = (id, person) => {
    personOf.set(id, person)
    person.ids.add(id)
  }

  /** Merges the person `from` into `into`, whose properties win. */
  const merge = (from, into) => {
    into.properties = { ...from.properties, ...into.properties }
    into.isIdentified ||= from.isIdentified
    into.createdAt = Math.min(into.createdAt, from.createdAt)
    from.ids.forEach((id) => assign(id, into))
  }

  /**
   * `$identify` and `$create_alias`: makes `from` and `into` one person, unless both are identified users.
   */
  const join = (from, into, isAlias) => {
    const merged = personOf.get(from)
    const target = personOf.get(into)
    if (merged === undefined || merged === target) return
    if (merged.isIdentified && !(isAlias && !target?.isIdentified)) return
    if (target === undefined) assign(into, merged)
    else merge(merged, target)
  }

  const applyPerson = ({ event, distinctId, properties, time }) => {
    let id = distinctId
    let otherId
    if (event === '$identify') otherId = properties.$anon_distinct_id
    if (event === '$create_alias') {
      id = properties.alias
      otherId = distinctId
    }
    if (otherId !== undefined) join(otherId, id, event === '$create_alias')
    let person = personOf.get(id)
    if (person === undefined) {
      person = { ids: new Set(), properties: {}, isIdentified: false, createdAt: time }
      assign(id, person)
    }
    person.createdAt = Math.min(person.createdAt, time)
    if (otherId !== undefined && !personOf.has(otherId)) assign(otherId, person)
    if (event === '$identify' || event === '$create_alias') person.isIdentified = true
    const { $set = {}, $set_once = {}, $unset = [] } = properties
    const newProperties = { ...$set_once, ...person.properties, ...$set }
    for (const name of $unset) delete newProperties[name]
    person.properties = newProperties
  }

  return {
    personOf,
    groups,
    events,
    distinctIds,
    /**
     * Applies an acknowledged event. Events must come in processing order; a repeated one changes nothing.
     *
     * @param {any} sent The event as sent.
     * @param {{ isHistorical: boolean, round: number }} source
     */
    apply(sent, { isHistorical, round }) {
      if (events.has(sent.uuid)) return
      const { $set, $set_once, $unset } = sent
      const envelopeOperations = JSON.parse(JSON.stringify({ $set, $set_once, $unset }))
      const properties = { ...sent.properties, ...envelopeOperations }
      const distinctId = sent.distinct_id ?? sent.properties.distinct_id
      const time = Date.parse(sent.timestamp)
      const event = { event: sent.event, distinctId, properties, time, isHistorical, round }
      events.set(sent.uuid, event)
      distinctIds.add(distinctId)
      if (sent.event === '$groupidentify' || sent.event === '$group_identify') {
        const { $group_type: type, $group_key: key, $group_set: groupProperties = {} } = properties
        const groupName = JSON.stringify([type, key])
        const { createdAt = time, properties: oldProperties } = groups.get(groupName) ?? {}
        groups.set(groupName, {
          createdAt: Math.min(createdAt, time),
          properties: { ...oldProperties, ...groupProperties },
        })
        return
      }
      if (properties.$process_person_profile !== false) applyPerson(event)
    },
  }
}

/** @typedef {ReturnType<typeof createModel>} Model */

/**
 * @typedef {object} Person
 * @property {Set<string>} ids
 * @property {Record<string, any>} properties
 * @property {boolean} isIdentified
 * @property {number} createdAt Time of the first event of the person, in milliseconds since 1970.
 */

/** @typedef {{ createdAt: number, properties: Record<string, any> }} Group */
