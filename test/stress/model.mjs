/**
 * What must be known of one project after the events that were told: written from the protocol's description alone, with
 * nothing of the service's code, and as plainly as can be.
 */
export const createModel = () => {
  /** @type {Map<string, Person>} Who a distinct id is. Several ids of one person have the same object. */
  const personOf = new Map()
  /** @type {Map<string, Group>} */
  const groups = new Map()
  /** @type {Map<string, any>} Uuid to the event as it was sent. */
  const events = new Map()
  /** @type {Set<string>} */
  const distinctIds = new Set()

  const belong = (id, person) => {
    personOf.set(id, person)
    person.ids.add(id)
  }

  /** Everybody who is `from` becomes `into`, who keeps what both have. */
  const merge = (from, into) => {
    into.properties = { ...from.properties, ...into.properties }
    into.isIdentified ||= from.isIdentified
    into.createdAt = Math.min(into.createdAt, from.createdAt)
    from.ids.forEach((id) => belong(id, into))
  }

  /**
   * `$identify` and `$create_alias`: `from` and `into` are one person from now on, unless that would make one of two users.
   */
  const join = (from, into, isAlias) => {
    const given = personOf.get(from)
    const staying = personOf.get(into)
    if (given === undefined || given === staying) return
    if (given.isIdentified && !(isAlias && !staying?.isIdentified)) return
    if (staying === undefined) belong(into, given)
    else merge(given, staying)
  }

  const applyPerson = ({ event, distinctId, properties, time }) => {
    let id = distinctId
    let other
    if (event === '$identify') other = properties.$anon_distinct_id
    if (event === '$create_alias') {
      id = properties.alias
      other = distinctId
    }
    if (other !== undefined) join(other, id, event === '$create_alias')
    let person = personOf.get(id)
    if (person === undefined) {
      person = { ids: new Set(), properties: {}, isIdentified: false, createdAt: time }
      belong(id, person)
    }
    person.createdAt = Math.min(person.createdAt, time)
    if (other !== undefined && !personOf.has(other)) belong(other, person)
    if (event === '$identify' || event === '$create_alias') person.isIdentified = true
    const { $set = {}, $set_once = {}, $unset = [] } = properties
    const next = { ...$set_once, ...person.properties, ...$set }
    for (const name of $unset) delete next[name]
    person.properties = next
  }

  return {
    personOf,
    groups,
    events,
    distinctIds,
    /**
     * Tells of an event that was acknowledged, in the order of its processing. One that is told again changes nothing.
     *
     * @param {any} sent As on the wire.
     * @param {{ isHistorical: boolean, round: number }} source
     */
    tell(sent, { isHistorical, round }) {
      if (events.has(sent.uuid)) return
      const { $set, $set_once, $unset } = sent
      const envelope = JSON.parse(JSON.stringify({ $set, $set_once, $unset }))
      const properties = { ...sent.properties, ...envelope }
      const distinctId = sent.distinct_id ?? sent.properties.distinct_id
      const time = Date.parse(sent.timestamp)
      const told = { event: sent.event, distinctId, properties, time, isHistorical, round }
      events.set(sent.uuid, told)
      distinctIds.add(distinctId)
      if (sent.event === '$groupidentify' || sent.event === '$group_identify') {
        const { $group_type: type, $group_key: key, $group_set: set = {} } = properties
        const name = JSON.stringify([type, key])
        const { createdAt = time, properties: known } = groups.get(name) ?? {}
        groups.set(name, { createdAt: Math.min(createdAt, time), properties: { ...known, ...set } })
        return
      }
      if (properties.$process_person_profile !== false) applyPerson(told)
    },
  }
}

/** @typedef {ReturnType<typeof createModel>} Model */

/**
 * @typedef {object} Person
 * @property {Set<string>} ids
 * @property {Record<string, any>} properties
 * @property {boolean} isIdentified
 * @property {number} createdAt When the first event happened that spoke of the person, in milliseconds since 1970.
 */

/** @typedef {{ createdAt: number, properties: Record<string, any> }} Group */
